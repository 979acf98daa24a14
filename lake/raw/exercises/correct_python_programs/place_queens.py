def place_queens(size, given=()):
    """Return the columns of queens, one a row and none attacking another,
    that come first in order and begin with the given ones, or None.
    """
    def safe(columns, column):
        for row, other in enumerate(columns):
            if other == column or abs(other - column) == len(columns) - row:
                return False
        return True

    def extend(columns):
        row = len(columns)
        if row == size:
            return columns
        for column in [given[row]] if row < len(given) else range(size):
            if safe(columns, column):
                found = extend(columns + [column])
                if found is not None:
                    return found
        return None

    return extend([])
