from collections import deque


def two_tables(guests, quarrels):
    """Seat guests at two tables so that none sits with one they quarrel
    with, the first of each group at the first table, or return None.
    """
    rivals = {guest: [] for guest in guests}
    for one, other in quarrels:
        rivals[one].append(other)
        rivals[other].append(one)
    table = {}
    for guest in guests:
        if guest in table:
            continue
        table[guest] = 0
        queue = deque([guest])
        while queue:
            current = queue.popleft()
            for rival in rivals[current]:
                if rival not in table:
                    table[rival] = 1 - table[current]
                    queue.append(rival)
                elif table[rival] == table[current]:
                    return None
    return [[guest for guest in guests if table[guest] == i] for i in (0, 1)]
