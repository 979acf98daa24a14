from itertools import groupby


def subtotal_lines(sales):
    """Print sales [department, item, amount] as lines: for every run of rows
    of one department its name, the rows as "  item amount" and, if they are
    two or more, "  = " and their sum; at the very end "Total " and the sum
    of all, unless there is no row.
    """
    lines = []
    for department, rows in groupby(sales, key=lambda sale: sale[0]):
        lines.append(department)
        amounts = []
        for _, item, amount in rows:
            lines.append(f"  {item} {amount}")
            amounts.append(amount)
        if len(amounts) > 1:
            lines.append(f"  = {sum(amounts)}")
    total = sum(amount for _, _, amount in sales)
    return lines + [f"Total {total}"] if lines else []
