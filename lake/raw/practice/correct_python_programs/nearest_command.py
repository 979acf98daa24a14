from difflib import get_close_matches


def nearest_command(typed, commands):
    """Return what a shell says of a command that was typed: nothing of a
    known one, the most similar one of another, or that there is none.
    """
    if typed in commands:
        return ""
    similar = get_close_matches(typed, commands, n=1)
    return f"did you mean {similar[0]}?" if similar else "unknown command"
