from bisect import bisect_right

BOUNDS = [50, 60, 70, 80]
LETTERS = "EDCBA"


def grade_letter(marks, bonus):
    """Return the letters for marks after a bonus, of at most 100 together:
    E below 50, then D, C, B, and A from 80 on.
    """
    letters = []
    for mark in marks:
        points = min(mark + bonus, 100)
        letters.append(LETTERS[bisect_right(BOUNDS, points)])
    return "".join(letters)
