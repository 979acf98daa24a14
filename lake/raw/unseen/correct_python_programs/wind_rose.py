SECTORS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]


def wind_rose(readings, calm):
    """Return {sector: [number, strongest]} for the sectors, clockwise from N,
    that the winds [degrees, speed] blew from: each is 45 degrees wide around
    its direction, with its first edge but not its last one. Winds slower
    than calm are left out.
    """
    rose = {}
    for index, sector in enumerate(SECTORS):
        speeds = []
        for degrees, speed in readings:
            if speed >= calm and (2 * degrees + 45) // 90 % 8 == index:
                speeds.append(speed)
        if speeds:
            rose[sector] = [len(speeds), max(speeds)]
    return rose
