from functools import cmp_to_key


def _compare(left, right):
    if left["stars"] != right["stars"]:
        return right["stars"] - left["stars"]
    return -1 if left["name"] < right["name"] else 1


def star_rank(packages):
    """Return the names of packages, those with most stars first, and by name
    where stars are the same.
    """
    ranked = sorted(packages, key=cmp_to_key(_compare))
    return [package["name"] for package in ranked]
