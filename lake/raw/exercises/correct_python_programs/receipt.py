def receipt(items, width=24):
    """Print items [name, count, cents] as lines of that width, names to the
    left (cut short if need be) and amounts to the right, and their total.
    """
    lines = []
    total = 0
    for name, count, cents in items:
        if count > 1:
            name = f"{count} x {name}"
        total += count * cents
        lines.append((name, count * cents))
    lines.append(("TOTAL", total))
    printed = []
    for name, cents in lines:
        sign = "-" if cents < 0 else ""
        amount = f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}"
        room = width - len(amount) - 1
        printed.append(f"{name[:room]:<{room}} {amount}")
    return printed
