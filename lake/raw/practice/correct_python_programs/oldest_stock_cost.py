def oldest_stock_cost(batches, wanted):
    """Return the total cost of taking the wanted number of pieces from the
    batches, rows [count, unit price] used up from first to last, or -1 if
    all batches together do not hold enough pieces.
    """
    cost = 0
    index = 0
    while wanted > 0 and index < len(batches):
        count, price = batches[index]
        taken = min(count, wanted)
        cost += taken * price
        wanted -= taken
        index += 1
    if wanted > 0:
        return -1
    return cost
