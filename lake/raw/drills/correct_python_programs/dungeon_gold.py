def dungeon_gold(room, keys=0):
    """Return the most gold that a hero can gather who starts in a room with
    some keys, only goes deeper, into one of the next "rooms" each time, and
    may stop anywhere. He must take the "gold" of each room (negative for a
    toll) and gets its "keys"; entering a "locked" room uses up a key.
    """
    keys += room.get("keys", 0)
    best = 0
    for door in room.get("rooms", []):
        left = keys - 1 if door.get("locked") else keys
        if left >= 0:
            best = max(best, dungeon_gold(door, left))
    return room["gold"] + best
