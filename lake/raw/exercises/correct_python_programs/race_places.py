def race_places(results):
    """Return [place, name, points] by points from high to low, then by name,
    where equal points share a place and as many places after it stay empty.
    """
    ordered = sorted(results.items(), key=lambda item: (-item[1], item[0]))
    places = []
    for index, (name, points) in enumerate(ordered):
        if index == 0 or points != places[-1][2]:
            place = index + 1
        places.append([place, name, points])
    return places
