def eye_chart_result(chart, said):
    """Return [size, extra] for the lines [size, letters] of an eye chart and
    what was said of each: the size of the line before the first in which at
    most half the letters were right, place by place, or None, and how many
    were right in that one. If there is none it is the last size said, and 0.
    """
    passed = None
    for (size, letters), heard in zip(chart, said):
        right = 0
        for place, letter in enumerate(letters[:len(heard)]):
            right += letter == heard[place]
        if 2 * right <= len(letters):
            return [passed, right]
        passed = size
    return [passed, 0]
