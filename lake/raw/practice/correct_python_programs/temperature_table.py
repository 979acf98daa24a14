def temperature_table(first, last, step):
    """Return lines "C F" for the Celsius degrees from first to last
    inclusive, rising by step or falling when last is lower, Fahrenheit
    rounded down and both right-aligned four wide; none if step is below 1.
    """
    if step < 1:
        return []
    if last < first:
        step = -step
    lines = []
    celsius = first
    while celsius <= last if step > 0 else celsius >= last:
        fahrenheit = celsius * 9 // 5 + 32
        lines.append(f"{celsius:4d} {fahrenheit:4d}")
        celsius += step
    return lines
