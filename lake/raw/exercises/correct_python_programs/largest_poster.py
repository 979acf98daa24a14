def largest_poster(heights):
    """Return [area, left, right] of the largest rectangle under a skyline of
    houses one wide, the first to end of equals, [0, 0, 0] without any area.
    """
    best = [0, 0, 0]
    rising = []
    for right, height in enumerate(heights + [0]):
        left = right
        while rising and rising[-1][1] >= height:
            left, top = rising.pop()
            area = top * (right - left)
            if area > best[0]:
                best = [area, left, right]
        rising.append((left, height))
    return best
