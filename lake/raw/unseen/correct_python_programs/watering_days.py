def watering_days(rain, full, use, low):
    """Return [days on which to water, water left]: the soil holds full litres
    at first and never more, and each day, counted from 1, brings rain and
    then takes use litres; a day that would end with less than low litres
    also fills the soil up again, after that.
    """
    days = []
    water = full
    for day, litres in enumerate(rain, 1):
        water = min(full, water + litres) - use
        if water < low:
            days.append(day)
            water = full
    return [days, water]
