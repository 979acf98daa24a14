def hanoi(height, start=1, end=3):
    if height == 0:
        return []
    spare = 6 - start - end
    before = hanoi(height - 1, start, spare)
    after = hanoi(height - 1, end, spare)
    return before + [(start, end)] + after


"""
Moves that solve the tower puzzle

A tower of discs, each smaller than the one below, stands on one of three
pegs numbered 1, 2 and 3. Discs move one at a time, and a disc never lies
on a smaller one.

Input:
    height: an int, the number of discs, zero or more
    start: the peg on which the tower stands
    end: the peg to which it is to go, other than start

Output:
    The shortest list of moves, each a pair (from peg, to peg)

Examples:
    >>> hanoi(1, 2, 1)
    [(2, 1)]
    >>> hanoi(2)
    [(1, 2), (1, 3), (2, 3)]
"""
