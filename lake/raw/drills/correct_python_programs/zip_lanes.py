from collections import deque


def zip_lanes(left, right):
    """Return a text of L and R, the order in which the cars of two lanes pass
    a gap; the lanes hold their arrival ticks, rising. From tick 0 on one car
    may pass each tick, also in the tick it arrives; if both lanes have one,
    the lane whose car did not pass last goes, at the very first the left.
    """
    lanes = {"L": deque(left), "R": deque(right)}
    order, turn, tick = "", "LR", 0
    while lanes["L"] or lanes["R"]:
        ready = [s for s in turn if lanes[s] and lanes[s][0] <= tick]
        if ready:
            lanes[ready[0]].popleft()
            order += ready[0]
            turn = "RL" if ready[0] == "L" else "LR"
        tick += 1
    return order
