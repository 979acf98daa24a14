def downhill_runs(heights, trails, start):
    """Return [number of runs, trails in the longest one] for the ways to go
    from start along trails [place, place], usable from both ends but only to
    a truly lower place, until no trail leads lower. If none leads lower from
    start, that is one run of length 0; a trail listed twice counts as two.
    """
    runs, longest = 0, 0
    for one, other in trails:
        if start not in (one, other):
            continue
        end = other if one == start else one
        if heights[end] < heights[start]:
            more, length = downhill_runs(heights, trails, end)
            runs += more
            longest = max(longest, length + 1)
    return [runs or 1, longest]
