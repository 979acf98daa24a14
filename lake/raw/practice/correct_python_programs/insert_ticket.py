from bisect import insort


def insert_ticket(numbers, called):
    """Return the tickets that wait, in order, after new numbers came and the
    smallest was called so many times.
    """
    waiting = []
    for number in numbers:
        insort(waiting, number)
    del waiting[:called]
    return waiting
