from functools import reduce


def discounted_price(price, discounts):
    """Return what is left of a price after discounts in percent, one after
    another, to two digits. Discounts above 100 count as 100.
    """
    factors = [1 - min(percent, 100) / 100 for percent in discounts]
    return round(reduce(lambda left, factor: left * factor, factors, price), 2)
