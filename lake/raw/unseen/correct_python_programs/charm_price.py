def charm_price(cost, percent, endings):
    """Return the lowest price in cents that is at least the cost and so many
    percent more, and whose last two digits are one of the rising endings.
    """
    least = -(-cost * (100 + percent) // 100)
    hundreds = least // 100 * 100
    for ending in endings:
        if hundreds + ending >= least:
            return hundreds + ending
    return hundreds + 100 + endings[0]
