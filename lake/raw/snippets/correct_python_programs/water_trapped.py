def water_trapped(heights):
    total = 0
    for index, height in enumerate(heights):
        left = max(heights[:index + 1])
        right = max(heights[index:])
        level = min(left, right)
        total += level - height
    return total
