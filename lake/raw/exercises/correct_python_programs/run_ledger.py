class Refused(Exception):
    pass


def take(accounts, name, amount, limit):
    if accounts.get(name, 0) - amount < -limit:
        raise Refused(name)
    accounts[name] = accounts.get(name, 0) - amount


def run_ledger(entries, limit=0):
    """Book entries [from, to, amount], with null for cash, unless an account
    would owe more than the limit; return balances and refused entry numbers.
    """
    accounts = {}
    refused = []
    for number, (source, target, amount) in enumerate(entries, start=1):
        try:
            if source is not None:
                take(accounts, source, amount, limit)
        except Refused:
            refused.append(number)
            continue
        if target is not None:
            accounts[target] = accounts.get(target, 0) + amount
    return [accounts, refused]
