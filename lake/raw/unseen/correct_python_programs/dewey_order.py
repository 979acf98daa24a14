def dewey_order(calls):
    """Sort call numbers such as "636.7 SMI v.2" as books stand: by the whole
    number, then the digits behind the point one by one, none before any,
    then the letters, then the number of the volume, none as 0; equal ones
    stay in order.
    """
    def place(call):
        parts = call.split()
        whole, _, digits = parts[0].partition(".")
        volume = 0
        if parts[-1].startswith("v."):
            volume = int(parts.pop()[2:])
        return [int(whole), digits, " ".join(parts[1:]), volume]

    return sorted(calls, key=place)
