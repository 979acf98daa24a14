def matrix_product(left, right):
    columns = list(zip(*right))
    result = []
    for row in left:
        line = []
        for column in columns:
            line.append(sum(x * y for x, y in zip(row, column)))
        result.append(line)
    return result
