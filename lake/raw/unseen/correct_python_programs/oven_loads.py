def oven_loads(cakes, trays, spread):
    """Group cakes [name, degrees] into loads, lists of names for an oven with
    so many trays: by rising degrees, then by name, each goes into the load
    before it unless that is full or its coolest cake wants over spread
    degrees less.
    """
    loads = []
    coolest = None
    for degrees, name in sorted([cake[1], cake[0]] for cake in cakes):
        full = loads and len(loads[-1]) == trays
        if not loads or full or degrees - coolest > spread:
            loads.append([])
            coolest = degrees
        loads[-1].append(name)
    return loads
