from statistics import mean


def average(marks):
    return mean(marks) if marks else 0


def course_mark(homework, exams, dropped):
    """Return the mark of a course, rounded to two places: 40 per cent the
    mean of the homework marks without the given number of lowest ones, and
    60 per cent the mean of the exam marks; 0 stands in for a mean of nothing,
    and the result is at most 50 if any exam mark is below 30.
    """
    kept = sorted(homework)[dropped:]
    mark = 0.4 * average(kept) + 0.6 * average(exams)
    if exams and min(exams) < 30:
        mark = min(mark, 50)
    return round(mark, 2)
