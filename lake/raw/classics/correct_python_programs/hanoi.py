def hanoi(height, start=1, end=3):
    if height == 0:
        return []
    spare = 6 - start - end
    before = hanoi(height - 1, start, spare)
    after = hanoi(height - 1, spare, end)
    return before + [(start, end)] + after
