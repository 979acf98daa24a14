def family_ticket(ages, adult, child, family):
    """Return the lowest total price for people of these ages: adult from 18,
    child from 6 to 17, younger ones free, where any number of family tickets
    may be bought, each good for up to two adults and up to three children."""
    adults = sum(age >= 18 for age in ages)
    children = sum(6 <= age < 18 for age in ages)
    best = adults * adult + children * child
    for tickets in range(1, len(ages) + 1):
        price = tickets * family
        price += max(adults - 2 * tickets, 0) * adult
        price += max(children - 3 * tickets, 0) * child
        best = min(best, price)
    return best
