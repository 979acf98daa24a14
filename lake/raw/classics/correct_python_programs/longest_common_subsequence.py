def longest_common_subsequence(a, b):
    row = [''] * (len(b) + 1)
    for x in a:
        above = row
        row = ['']
        for j, y in enumerate(b):
            if x == y:
                row.append(above[j] + x)
            else:
                row.append(max(row[j], above[j + 1], key=len))
    return row[-1]
