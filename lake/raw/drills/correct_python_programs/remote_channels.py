def remote_channels(keys, highest):
    """Return the channels a television shows, 1 first, as keys are pressed:
    two digits in a row pick a channel; "+" and "-" go one up or down, round
    the ends 1 and highest; "<" goes to the channel shown before. These three
    keys drop a lone digit. A channel not in 1 to highest, or the one already
    on, changes nothing."""
    shown = [1]
    digits = ""
    for key in keys:
        channel = shown[-1]
        digits = digits + key if key.isdigit() else ""
        if len(digits) == 2:
            channel, digits = int(digits), ""
        elif key in "+-":
            channel = (channel + (0 if key == "+" else -2)) % highest + 1
        elif key == "<":
            channel = shown[-2:][0]
        if channel != shown[-1] and 1 <= channel <= highest:
            shown.append(channel)
    return shown
