LIT = ["abcdef", "bc", "abdeg", "abcdg", "bcfg",
       "acdfg", "acdefg", "abc", "abcdefg", "abcdfg"]


def segment_switches(start, end):
    """Return how many segments in all go on or off while a seven-segment
    display counts from start up to end (0 if end is not above start). LIT
    names the lit segments of each digit; leading places stay dark.
    """
    switches = 0
    for number in range(start, end):
        after = str(number + 1)
        before = str(number).rjust(len(after))
        for old, new in zip(before, after):
            dark = old == " "
            lit_before = set() if dark else set(LIT[int(old)])
            switches += len(lit_before ^ set(LIT[int(new)]))
    return switches
