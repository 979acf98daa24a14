def inning_runs(plays):
    """Return [runs, outs] of an inning at baseball: a hit 1 to 4 takes the
    batter and all runners on by so many bases, and each who passes the third
    scores; a "walk" puts the batter on first and moves on only runners who
    have to make room; nothing counts after the third "out".
    """
    bases, runs, outs = [0, 0, 0], 0, 0
    for play in plays:
        if outs == 3:
            break
        if play == "out":
            outs += 1
        elif play != "walk":
            moved = [0] * (play - 1) + [1] + bases
            bases, runs = moved[:3], runs + sum(moved[3:])
        elif 0 in bases:
            bases[bases.index(0)] = 1
        else:
            runs += 1
    return [runs, outs]
