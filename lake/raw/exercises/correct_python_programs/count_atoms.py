import re

PART = re.compile(r"([A-Z][a-z]?|[()])(\d*)")


def count_atoms(formula):
    """Count the atoms of each element in a formula such as "Ca(OH)2", where a
    number multiplies the element or group before it.
    """
    groups = [{}]
    for symbol, digits in PART.findall(formula):
        times = int(digits or 1)
        if symbol == "(":
            groups.append({})
            continue
        if symbol == ")":
            inner = groups.pop()
        else:
            inner = {symbol: 1}
        outer = groups[-1]
        for element, count in inner.items():
            outer[element] = outer.get(element, 0) + count * times
    return groups[0]
