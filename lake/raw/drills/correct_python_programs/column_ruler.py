def column_ruler(width, first=1):
    """Return a line of that width to print above a text whose columns are
    numbered from first on: every tenth column shows the last digit of the
    number of tens, the fives in between show "+", all others ".".
    """
    def mark(column):
        tens, ones = divmod(column, 10)
        if ones == 0:
            return str(tens % 10)
        return "+" if ones == 5 else "."

    return "".join(mark(column) for column in range(first, first + width))
