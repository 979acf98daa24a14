def safe_dishes(dishes, guests, groups):
    """Return a dict from each guest to the dishes that are safe for them, in
    the order of the menu; guests for whom all are safe are left out. Dishes
    are rows [name, ingredients], guests a dict from name to what they avoid:
    ingredients, or groups as named by the dict from ingredient to group.
    """
    plates = {}
    for guest, avoided in guests.items():
        safe = []
        for name, ingredients in dishes:
            if not any(item in avoided or groups.get(item) in avoided
                       for item in ingredients):
                safe.append(name)
        if len(safe) < len(dishes):
            plates[guest] = safe
    return plates
