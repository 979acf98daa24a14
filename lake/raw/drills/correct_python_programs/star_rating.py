def star_rating(votes):
    """Return the average of votes, the numbers of votes for 1 to 5 stars, as
    five characters: '*' for each star, '+' for half a star, and '-' for the
    rest. It is rounded to half stars, the middle up; no votes give '?'.
    """
    voters = sum(votes)
    if voters == 0:
        return "?"
    stars = sum(worth * count for worth, count in enumerate(votes, start=1))
    halves = (4 * stars + voters) // (2 * voters)
    whole, half = divmod(halves, 2)
    return ("*" * whole + "+" * half).ljust(5, "-")
