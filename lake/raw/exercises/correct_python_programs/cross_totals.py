def cross_totals(sales):
    """Tabulate sales [shop, month, amount] as rows of texts: a title row, a
    row for each shop and a "total" row, each row with its total at the end.
    """
    months = sorted({month for _, month, _ in sales})
    shops = sorted({shop for shop, _, _ in sales})
    table = [["", *months, "total"]]
    columns = [0] * len(months)
    for shop in shops:
        row = [0] * len(months)
        for other, month, amount in sales:
            if other == shop:
                row[months.index(month)] += amount
        table.append([shop, *map(str, row), str(sum(row))])
        columns = [total + amount for total, amount in zip(columns, row)]
    table.append(["total", *map(str, columns), str(sum(columns))])
    return table
