def loan_months(debt, percent, payment):
    """Return [months, last payment] to pay off a debt to which each month
    first percent percent interest (rounded down) is added and then payment,
    or the smaller rest, is paid; None if payment never exceeds interest."""
    months = 0
    paid = 0
    while debt > 0:
        interest = debt * percent // 100
        if payment <= interest:
            return None
        paid = min(payment, debt + interest)
        debt += interest - paid
        months += 1
    return [months, paid]
