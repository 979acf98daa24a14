def countback_order(points, ballots):
    """Return the names on ballots, each of which gives the points by rank and
    none beyond them, by falling total. Equal ones go by who was first more
    often, then second and so on, and then by name; names that never had a
    rank with points are left out.
    """
    places = {}
    for ballot in ballots:
        for rank, name in enumerate(ballot[:len(points)]):
            places.setdefault(name, [0] * len(points))[rank] += 1

    def standing(name):
        counts = places[name]
        total = sum(a * b for a, b in zip(counts, points))
        return [-total] + [-count for count in counts], name

    return sorted(places, key=standing)
