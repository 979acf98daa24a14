import re


def swim_metres(plan):
    """Return the metres swum in a plan such as "200 3x(50 2x25)", where 3x
    repeats the length or the bracket after it three times."""
    tokens = iter(re.findall(r"\d+x?|[()]", plan))

    def metres():
        total, times = 0, 1
        for token in tokens:
            if token == ")":
                break
            if token.endswith("x"):
                times = int(token[:-1])
            else:
                total += times * (metres() if token == "(" else int(token))
                times = 1
        return total
    return metres()
