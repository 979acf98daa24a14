def tag_filter(expression, tags):
    """Tell whether the tags fit an expression such as "new & !sold | vip":
    of the parts between the bars at least one must fit, which takes each of
    its words to be among the tags, or not among them after "!"."""
    for part in expression.split("|"):
        for word in part.split("&"):
            word = word.strip()
            banned = word.startswith("!")
            if (word.lstrip("!") in tags) == banned:
                break
        else:
            return True
    return False
