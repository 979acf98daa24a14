def cookable_recipes(recipes, pantry, lacking):
    """Return the names of the recipes {name: ingredients} of which at most
    lacking ingredients are not in the pantry: those with fewest to buy come
    first, of these the one with most different ingredients, then by name.
    """
    ranked = []
    for name, ingredients in recipes.items():
        needed = set(ingredients)
        missing = len(needed.difference(pantry))
        if missing <= lacking:
            ranked.append((missing, -len(needed), name))
    return [name for _, _, name in sorted(ranked)]
