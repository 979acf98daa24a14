def box_scores(lines):
    """Return the boxes closed by the two players of dots and boxes who draw
    the lines in turn, whereby a player who closes a box draws the next line
    too. A line ["h", row, column] is the top side of the box in that row and
    column, and ["v", row, column] is its left side.
    """
    drawn = set()
    scores, player = [0, 0], 0
    for kind, row, column in lines:
        drawn.add((kind, row, column))
        before = (row - 1, column) if kind == "h" else (row, column - 1)
        closed = 0
        for y, x in ((row, column), before):
            level = {("h", y, x), ("h", y + 1, x)}
            upright = {("v", y, x), ("v", y, x + 1)}
            closed += level | upright <= drawn
        scores[player] += closed
        if not closed:
            player = 1 - player
    return scores
