def pascal(n):
    triangle = [[1]]
    while len(triangle) < n:
        last = triangle[0]
        inner = [a + b for a, b in zip(last, last[1:])]
        triangle.append([1] + inner + [1])
    return triangle


"""
The top of Pascal's triangle

Each row starts and ends with 1, and each number between is the sum of the
two that stand above it.

Input:
    n: an int, at least 1

Output:
    A list of the first n rows, each a list of ints

Examples:
    >>> pascal(3)
    [[1], [1, 1], [1, 2, 1]]
    >>> pascal(1)
    [[1]]
"""
