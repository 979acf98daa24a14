def letter_ranges(text):
    """Write out each range such as "a-d" (abcd) or "d-a" (dcba) in the text,
    from the left; other characters, also a dash with nothing before or after
    it, stand for themselves."""
    result = ""
    i = 0
    while i < len(text):
        if text[i + 1:i + 2] == "-" and i + 2 < len(text):
            start, end = ord(text[i]), ord(text[i + 2])
            step = 1 if start <= end else -1
            for code in range(start, end + step, step):
                result += chr(code)
            i += 3
        else:
            result += text[i]
            i += 1
    return result
