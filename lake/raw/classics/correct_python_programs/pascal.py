def pascal(n):
    triangle = [[1]]
    while len(triangle) < n:
        last = triangle[-1]
        inner = [a + b for a, b in zip(last, last[1:])]
        triangle.append([1] + inner + [1])
    return triangle
