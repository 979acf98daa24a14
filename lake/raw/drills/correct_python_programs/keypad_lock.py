def keypad_lock(code, keys):
    """Say how a door lock stands after the keys: "open", "blocked" or "shut".

    "#" enters the digits typed since the last "#" or "*", none being no
    attempt, and "*" drops them. The right code opens the lock for good, the
    third wrong attempt blocks it for good.
    """
    typed = ""
    wrong = 0
    for key in keys:
        if key == "#" and typed == code:
            return "open"
        if key == "#" and typed:
            wrong += 1
        typed = "" if key in "#*" else typed + key
        if wrong == 3:
            return "blocked"
    return "shut"
