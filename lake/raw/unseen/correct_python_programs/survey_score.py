def survey_score(answers, turned, top, missing):
    """Return the sum of answers from 1 to top, where the items at the places
    in turned count from top down to 1. Up to that many answers may be missing,
    None, and each counts as the mean of the others, the sum being rounded half
    up; with more missing, or all, it is None.
    """
    given = []
    for place, answer in enumerate(answers):
        if answer is not None:
            given.append(top + 1 - answer if place in turned else answer)
    if not given or len(answers) - len(given) > missing:
        return None
    halves = 2 * sum(given) * len(answers) // len(given)
    return (halves + 1) // 2
