def nearest_multiple(number, step):
    """Return the multiple of step nearest to the integer number, the one
    farther from zero when two are equally near; the sign of step does not
    matter, and step 0 leaves the number as it is.
    """
    if step == 0:
        return number
    if number < 0:
        return -nearest_multiple(-number, step)
    step = abs(step)
    rest = number % step
    if rest * 2 < step:
        return number - rest
    return number + step - rest
