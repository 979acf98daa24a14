def apply_discounts(price, codes, table):
    for code in codes:
        rate = table.get(code)
        if rate is None:
            raise KeyError(f"no discount called {code}")
        price -= price * rate / 100
    return round(price, 2)
