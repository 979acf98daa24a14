def shot_results(fleet, shots):
    """Return the answer to each shot at a fleet, a list of ships that are
    lists of cells like "B4": "again" for a cell shot at before, else "miss",
    "hit", or "sunk" for the last cell of a ship. Nothing more is answered
    once the whole fleet is sunk.
    """
    afloat = [set(ship) for ship in fleet]
    answers = []
    for number, shot in enumerate(shots):
        if not any(afloat):
            break
        answer = "again" if shot in shots[:number] else "miss"
        for ship in afloat:
            if shot in ship:
                ship.remove(shot)
                answer = "hit" if ship else "sunk"
        answers.append(answer)
    return answers
