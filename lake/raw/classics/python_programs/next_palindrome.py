def next_palindrome(digit_list):
    size = len(digit_list)
    if any(digit == 9 for digit in digit_list):
        return [1] + [0] * (size - 1) + [1]
    half = digit_list[:(size + 1) // 2]
    increased = int(''.join(map(str, half))) + 1
    left = [int(digit) for digit in str(increased)]
    return left + left[:size // 2][::-1]


"""
The next number that reads the same both ways

Input:
    digit_list: the decimal digits of a palindromic number, a list of ints
        without leading zeros

Output:
    A list of the digits of the smallest palindromic number that is larger

Examples:
    >>> next_palindrome([2, 7, 2])
    [2, 8, 2]
    >>> next_palindrome([3, 9, 9, 3])
    [4, 0, 0, 4]
"""
