def fill_jars(jam, jars):
    """Return [filled, jam left] after so many ml of jam were filled into jars
    of the given sizes, each listed as [size, ml in it]: as long as there are
    both, always into the largest jar that it fills to the brim, or if it
    fills none, into the smallest.
    """
    free = sorted(jars)
    filled = []
    while jam > 0 and free:
        full = [size for size in free if size <= jam]
        size = full[-1] if full else free[0]
        free.remove(size)
        amount = min(size, jam)
        filled.append([size, amount])
        jam -= amount
    return [filled, jam]
