def drug_clashes(courses, pairs):
    """Return [day, drug, drug] for each of the pairs of drugs that is taken
    together on some day, with the first such day, by rising day and then by
    name. Courses are [drug, first day, last day], maybe several of a drug.
    """
    clashes = []
    for one, other in pairs:
        days = []
        for drug, first, last in courses:
            for second, begin, end in courses:
                if [drug, second] != [one, other]:
                    continue
                if first <= end and begin <= last:
                    days.append(max(first, begin))
        if days:
            clashes.append([min(days), one, other])
    return sorted(clashes)
