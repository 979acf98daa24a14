def rotation_clashes(beds, families, rest):
    """Return [bed, year, crop] for each crop that came back too early: beds
    {bed: crops year by year, from 0 on, or None if fallow} had one of the
    same of the families {crop: family} in one of the rest years before; a
    crop without a family is its own.
    """
    clashes = []
    for bed, crops in beds.items():
        last = {}
        for year, crop in enumerate(crops):
            if crop is None:
                continue
            family = families.get(crop, crop)
            if family in last and year - last[family] <= rest:
                clashes.append([bed, year, crop])
            last[family] = year
    return clashes
