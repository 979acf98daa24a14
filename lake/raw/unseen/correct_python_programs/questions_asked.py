def questions_asked(form, answers):
    """Return which questions of a form, rows [question, {answer: question}],
    are asked. After an answer in its row the form goes on with the next later
    row of the question named there, after another with the next row, and it
    stops at a question without an answer.
    """
    asked = []
    target = None
    for question, jumps in form:
        if target is not None and question != target:
            continue
        asked.append(question)
        if question not in answers:
            break
        target = jumps.get(answers[question])
    return asked
