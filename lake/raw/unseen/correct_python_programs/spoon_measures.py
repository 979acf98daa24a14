def spoon_measures(quarters):
    """Write an amount in quarter teaspoons in cups (48 teaspoons),
    tablespoons (3 teaspoons) and teaspoons, the largest first, such as
    "1 cup 2 tbsp 1 1/2 tsp"; what is zero is left out, and nothing at all
    is "none".
    """
    teaspoons, rest = divmod(quarters, 4)
    cups, teaspoons = divmod(teaspoons, 48)
    tablespoons, teaspoons = divmod(teaspoons, 3)
    spoons = [str(teaspoons)] if teaspoons else []
    if rest:
        spoons.append(["1/4", "1/2", "3/4"][rest - 1])
    amounts = {"cup": cups, "tbsp": tablespoons, "tsp": " ".join(spoons)}
    parts = [f"{count} {unit}" for unit, count in amounts.items() if count]
    return " ".join(parts) or "none"
