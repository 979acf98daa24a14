def retirement_month(birth, ages, early):
    """Return the month, as in "2031-04", in which somebody born in a month
    written the same way retires: at the age in months of the last row [year,
    months] whose year is not after the one of birth, less so many months, of
    which more than 36 count as 36.
    """
    year, month = map(int, birth.split("-"))
    for first, months in ages:
        if first <= year:
            age = months
    total = 12 * year + month - 1 + age - min(early, 36)
    return f"{total // 12}-{total % 12 + 1:02}"
