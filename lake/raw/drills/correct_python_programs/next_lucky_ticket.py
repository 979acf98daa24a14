def next_lucky_ticket(number, digits):
    """Return the first ticket after the given number whose left half has the
    same digit sum as its right half, as text with leading zeros up to the
    given even count of digits. After the ticket of all nines comes 0 again.
    """
    def total(half):
        return sum(map(int, half))

    middle = digits // 2
    while True:
        number = (number + 1) % 10 ** digits
        ticket = str(number).zfill(digits)
        if total(ticket[:middle]) == total(ticket[middle:]):
            return ticket
