def settle_debts(balances):
    """Return payments [from, to, amount] that bring balances of names to zero:
    who owes most pays whom most is owed, ties by name, until one side is out.
    """
    debts = {name: -value for name, value in balances.items() if value < 0}
    claims = {name: value for name, value in balances.items() if value > 0}
    payments = []
    while debts and claims:
        payer = min(debts, key=lambda name: (-debts[name], name))
        payee = min(claims, key=lambda name: (-claims[name], name))
        amount = min(debts[payer], claims[payee])
        payments.append([payer, payee, amount])
        for side, name in ((debts, payer), (claims, payee)):
            side[name] -= amount
            if side[name] == 0:
                del side[name]
    return payments
