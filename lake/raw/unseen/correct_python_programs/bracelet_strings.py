def bracelet_strings(strings, rows):
    """Return [colours of the knots row by row, strings at the end] of a
    friendship bracelet of strings, a letter each: the knots of the first row
    join strings 1 and 2, 3 and 4 and so on, those of the second 2 and 3, 4
    and 5 and so on, then again 1 and 2. A knot ">" or ")" has the colour of
    the left string and "<" or "(" that of the right one; ">" and "<" swap
    the two.
    """
    order = list(strings)
    drawn = []
    for number, knots in enumerate(rows):
        colours = ""
        for place, knot in enumerate(knots):
            left = 2 * place + number % 2
            pair = order[left:left + 2]
            colours += pair[0] if knot in ">)" else pair[1]
            if knot in "<>":
                order[left:left + 2] = pair[::-1]
        drawn.append(colours)
    return [drawn, "".join(order)]
