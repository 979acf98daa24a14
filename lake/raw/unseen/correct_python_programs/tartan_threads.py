def tartan_threads(sett, width):
    """Return the colours of the first width threads of a tartan, a letter
    each: the stripes of a sett such as "R4 K2 Y6" from the first to the last
    and back again, over and over, where the first and the last stripe are
    not doubled at the turns.
    """
    stripes = [stripe[0] * int(stripe[1:]) for stripe in sett.split()]
    back = stripes[-2:0:-1]
    threads = "".join(stripes + back)
    repeats = width // len(threads) + 1
    return (threads * repeats)[:width]
