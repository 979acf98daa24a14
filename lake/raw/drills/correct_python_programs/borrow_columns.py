def borrow_columns(minuend, subtrahend):
    """Return, rising, the columns that borrow from the column to their left
    when the subtrahend is taken from the minuend on paper; the ones are
    column 0, the tens 1. Return None if the subtrahend is the larger one.
    """
    if subtrahend > minuend:
        return None
    borrowing = []
    column = debt = 0
    while subtrahend > 0 or debt:
        minuend, upper = divmod(minuend, 10)
        subtrahend, lower = divmod(subtrahend, 10)
        debt = int(upper < lower + debt)
        if debt:
            borrowing.append(column)
        column += 1
    return borrowing
