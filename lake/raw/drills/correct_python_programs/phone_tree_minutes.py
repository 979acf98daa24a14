def phone_tree_minutes(contacts, name, call=1):
    """Return after how many minutes everybody below a name has been phoned,
    if each person calls his contacts {name: names} one right after the other,
    in the best order, as soon as he was called himself. A call lasts the
    given number of minutes, and somebody without contacts calls nobody.
    """
    waits = []
    for other in contacts.get(name, []):
        waits.append(phone_tree_minutes(contacts, other, call))
    slowest = 0
    for number, wait in enumerate(sorted(waits, reverse=True), start=1):
        slowest = max(slowest, number * call + wait)
    return slowest
