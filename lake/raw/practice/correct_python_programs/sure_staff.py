from itertools import chain


def sure_staff(shifts):
    """Return everybody who is on any shift, once, in order of name; shifts
    are lists of names, in which a name may end in "?" for a maybe.
    """
    everybody = set()
    for name in chain.from_iterable(shifts):
        sure = not name.endswith("?")
        if sure:
            everybody.add(name)
    return sorted(everybody)
