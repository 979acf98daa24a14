from collections import deque


def window_peaks(values, width):
    """Return the largest value of every run of width neighbouring values, or
    of all values if there are fewer.
    """
    peaks = []
    candidates = deque()
    for index, value in enumerate(values):
        while candidates and candidates[-1][1] <= value:
            candidates.pop()
        candidates.append((index, value))
        if candidates[0][0] <= index - width:
            candidates.popleft()
        if index >= width - 1:
            peaks.append(candidates[0][1])
    if 0 < len(values) < width:
        peaks.append(candidates[0][1])
    return peaks
