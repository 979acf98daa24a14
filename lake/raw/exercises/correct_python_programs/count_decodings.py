def count_decodings(digits):
    """Count the ways to read digits as letters written A = 1 to Z = 26, with
    no leading zeros; no digits can be read in one way.
    """
    two_back, one_back = 0, 1
    for index, digit in enumerate(digits):
        ways = 0
        if digit != "0":
            ways += one_back
        if index > 0 and 10 <= int(digits[index - 1:index + 1]) <= 26:
            ways += two_back
        two_back, one_back = one_back, ways
    return one_back
