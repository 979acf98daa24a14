def collatz_length(number):
    length = 1
    while number != 1:
        if number % 2 == 0:
            number //= 2
        else:
            number = 3 * number + 1
        length += 1
    return length
