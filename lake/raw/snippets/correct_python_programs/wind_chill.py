def wind_chill(temperature, speed):
    if temperature > 10 or speed < 5:
        return temperature
    factor = speed ** 0.16
    chill = 13.12 + 0.6215 * temperature
    chill += 0.3965 * temperature * factor - 11.37 * factor
    return round(chill, 1)
