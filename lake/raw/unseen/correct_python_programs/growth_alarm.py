from bisect import bisect_right


def growth_alarm(chart, weights):
    """Return [visit, fall] for the first visit, counted from 0, at which a
    child stands two or more lines lower on its growth chart than at some visit
    before, or None. The chart has the rising lines for each visit, a weight on
    a line stands at it, and the child was not weighed where it is None.
    """
    highest = 0
    for visit, weight in enumerate(weights):
        if weight is None:
            continue
        line = bisect_right(chart[visit], weight)
        if highest - line >= 2:
            return [visit, highest - line]
        highest = max(highest, line)
    return None
