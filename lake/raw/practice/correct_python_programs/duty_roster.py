def duty_roster(people, absences):
    """Choose for each day's list of absent people the person present with
    the fewest duties so far (the first in people on a tie) who was not on
    duty the day before, or None, and return the list of the chosen."""
    duties = {person: 0 for person in people}
    roster = []
    previous = None
    for absent in absences:
        chosen = None
        for person in people:
            if person in absent or person == previous:
                continue
            if chosen is None or duties[person] < duties[chosen]:
                chosen = person
        if chosen is not None:
            duties[chosen] += 1
        roster.append(chosen)
        previous = chosen
    return roster
