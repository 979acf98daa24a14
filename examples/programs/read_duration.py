def read_duration(text):
    """Return the seconds of a duration such as 1h30m or 45s."""
    total = 0
    number = ""
    for sign in text:
        if sign.isdigit():
            number += sign
        elif sign in "hms" and number:
            total += int(number) * {"h": 3600, "m": 60, "s": 1}[sign]
            number = ""
        else:
            raise ValueError(f"no duration: {text}")
    if number:
        raise ValueError(f"no unit: {text}")
    return total
