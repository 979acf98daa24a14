from itertools import zip_longest


def chess_pairings(players):
    """Return the pairings of a first round: the upper half of the ranked
    players against the lower half; "bye" is paired with who is left over.
    """
    half = (len(players) + 1) // 2
    upper, lower = players[:half], players[half:]
    boards = []
    for white, black in zip_longest(upper, lower, fillvalue="bye"):
        boards.append(f"{white} - {black}")
    return boards
