TWELFTHS = [1, 2, 3, 3, 2]


def tide_twelfths(turns, hour):
    """Return the height of the tide in cm, rounded down, at a full hour by the
    rule of twelfths: turns are the heights at hours 0, 6, 12 and so on, and
    in the six hours between two of them the water makes 1, 2, 3, 3, 2 and 1
    twelfths of its way. Hours before the first or after the last turn give
    None.
    """
    if not 0 <= hour <= 6 * (len(turns) - 1):
        return None
    index, rest = divmod(hour, 6)
    if rest == 0:
        return turns[index]
    way = turns[index + 1] - turns[index]
    return turns[index] + way * sum(TWELFTHS[:rest]) // 12
