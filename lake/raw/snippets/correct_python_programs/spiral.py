def spiral(rows):
    rows = [list(row) for row in rows]
    order = []
    while rows:
        order.extend(rows.pop(0))
        turned = list(zip(*rows))
        turned.reverse()
        rows = turned
    return order
