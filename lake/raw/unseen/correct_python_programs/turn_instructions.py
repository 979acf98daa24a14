def turn_instructions(legs):
    """Return what a navigator says along legs [street, N, E, S or W, metres],
    as in "after 90 m right into Mill Road", or "straight", "left" or "back"
    instead. A leg straight on in the same street just adds its metres.
    """
    spoken = []
    metres = 0
    for before, after in zip(legs, legs[1:]):
        metres += before[2]
        quarters = "NESW".index(after[1]) - "NESW".index(before[1])
        if quarters == 0 and before[0] == after[0]:
            continue
        word = ("straight", "right", "back", "left")[quarters % 4]
        spoken.append(f"after {metres} m {word} into {after[0]}")
        metres = 0
    return spoken
