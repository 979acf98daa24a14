import re


def plane_seats(text):
    """Return the seats that a text such as "14F, 3-5AC" names, in its order
    and each once: 3-5AC are seats A and C of row 3, then of rows 4 and 5.
    """
    seats = []
    for first, last, letters in re.findall(r"(\d+)-?(\d*)([A-Z]+)", text):
        for row in range(int(first), int(last or first) + 1):
            for letter in letters:
                seat = f"{row}{letter}"
                if seat not in seats:
                    seats.append(seat)
    return seats
