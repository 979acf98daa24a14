def is_happy(number):
    seen = set()
    while number != 1 and number not in seen:
        seen.add(number)
        number = sum(int(digit) ** 2 for digit in str(number))
    return number == 1


def happy_numbers(start, count):
    """Return the first count happy numbers that are at least start (and
    positive): replacing them by the sum of their squared digits leads to 1.
    """
    found = []
    number = max(start, 1)
    while len(found) < count:
        if is_happy(number):
            found.append(number)
        number += 1
    return found
