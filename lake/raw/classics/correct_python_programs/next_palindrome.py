def next_palindrome(digit_list):
    size = len(digit_list)
    if all(digit == 9 for digit in digit_list):
        return [1] + [0] * (size - 1) + [1]
    half = digit_list[:(size + 1) // 2]
    increased = int(''.join(map(str, half))) + 1
    left = [int(digit) for digit in str(increased)]
    return left + left[:size // 2][::-1]
