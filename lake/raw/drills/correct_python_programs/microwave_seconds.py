def microwave_seconds(keys):
    """Return the seconds set on an oven: the last four digits typed, with
    zeros in front if there are fewer, are two for minutes and two for seconds
    (which may be over 59), each "+" adds half a minute, "c" clears all typed
    so far; the most that can be set is 99:59."""
    digits = ""
    extra = 0
    for key in keys:
        if key == "c":
            digits, extra = "", 0
        elif key == "+":
            extra += 30
        else:
            digits += key
    minutes, seconds = divmod(int(digits[-4:] or 0), 100)
    return min(minutes * 60 + seconds + extra, 99 * 60 + 59)
