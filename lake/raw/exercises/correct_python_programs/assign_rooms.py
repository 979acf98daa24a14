import heapq


def assign_rooms(meetings):
    """Give each meeting [start, end], by start and then end, the lowest room
    number from 1 on that is free; a room is free again from the end on.
    """
    free = []
    taken = []
    rooms = 0
    plan = []
    for start, end in sorted(meetings):
        while taken and taken[0][0] <= start:
            heapq.heappush(free, heapq.heappop(taken)[1])
        if free:
            room = heapq.heappop(free)
        else:
            rooms += 1
            room = rooms
        heapq.heappush(taken, (end, room))
        plan.append([start, end, room])
    return plan
