def locator_code(east, north):
    """Return the locator, as in "JO62qm", of a place so many minutes of arc
    east of Greenwich and north of the equator: letters A to R of fields 1200
    wide and 600 high from 180 degrees west and the south pole, digits of their
    tenths, letters a to x of 24ths of these. The north pole is in the last.
    """
    right = (east + 180 * 60) % (360 * 60)
    up = min(north + 90 * 60, 180 * 60 - 1)
    code = ""
    for width, height, first in ((1200, 600, "A"), (120, 60, "0")):
        code += chr(ord(first) + right // width)
        code += chr(ord(first) + up // height)
        right %= width
        up %= height
    return code + chr(ord("a") + right // 5) + chr(ord("a") + up * 2 // 5)
