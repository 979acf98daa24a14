def queue_times(customers, tills):
    times = [0] * tills
    for minutes in customers:
        shortest = times.index(min(times))
        times[shortest] += minutes
    return max(times)
