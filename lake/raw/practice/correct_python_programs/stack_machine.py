import operator

ACTIONS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


def stack_machine(program, start):
    """Return the number that a program makes of start: a list of steps
    [action, number]; steps with an unknown action are left out.
    """
    value = start
    for action, number in program:
        if action in ACTIONS:
            value = ACTIONS[action](value, number)
    return value
