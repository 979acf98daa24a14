def running_total(numbers):
    total = 0
    totals = []
    for number in numbers:
        total += number
        totals.append(total)
    return totals
