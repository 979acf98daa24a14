def medal_table(results):
    """Count the medals of each country from events, lists of the countries
    on ranks 1, 2, 3 and so on, and return rows [country, gold, silver,
    bronze] of those with medals: most golds first, then silvers, then
    bronzes, then by name.
    """
    counts = {}
    for ranking in results:
        for place, country in enumerate(ranking[:3]):
            if country not in counts:
                counts[country] = [0, 0, 0]
            counts[country][place] += 1
    order = sorted(counts)
    order.sort(key=counts.get, reverse=True)
    return [[country] + counts[country] for country in order]
