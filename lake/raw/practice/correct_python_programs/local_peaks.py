def local_peaks(heights):
    """Return the start index of each stretch of equal heights whose
    neighbours on both sides are lower; outside the list counts as lower."""
    peaks = []
    start = 0
    while start < len(heights):
        end = start
        while end + 1 < len(heights) and heights[end + 1] == heights[start]:
            end += 1
        rises = start == 0 or heights[start - 1] < heights[start]
        falls = end == len(heights) - 1 or heights[end + 1] < heights[end]
        if rises and falls:
            peaks.append(start)
        start = end + 1
    return peaks
