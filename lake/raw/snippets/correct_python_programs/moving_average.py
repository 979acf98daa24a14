def moving_average(values, window):
    averages = []
    for end in range(window, len(values) + 1):
        part = values[end - window:end]
        averages.append(sum(part) / window)
    return averages
