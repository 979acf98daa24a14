from collections import Counter


def vat_breakdown(lines):
    """Return [rate, net, tax] for each tax rate of a receipt, by rising rate.
    The lines [gross, rate] hold cents with the tax included and its percent
    on top of the net; the tax is worked out from the gross sum of the rate
    and rounded to whole cents, half a cent up.
    """
    gross = Counter()
    for amount, rate in lines:
        gross[rate] += amount
    table = []
    for rate, total in sorted(gross.items()):
        base = 100 + rate
        tax = (2 * total * rate + base) // (2 * base)
        table.append([rate, total - tax, tax])
    return table
