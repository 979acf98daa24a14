def switch_ports(frames, age):
    """Return where a network switch sends frames [second, port, sender,
    receiver]: to the port on which the receiver last sent a frame, "drop" if
    the frame came in on that one, and "flood" if there is none or the
    receiver's last frame is more than age seconds old.
    """
    learnt = {}
    ways = []
    for second, port, sender, receiver in frames:
        learnt[sender] = port, second
        target, seen = learnt.get(receiver, (None, 0))
        if target is None or second - seen > age:
            ways.append("flood")
        elif target == port:
            ways.append("drop")
        else:
            ways.append(target)
    return ways
