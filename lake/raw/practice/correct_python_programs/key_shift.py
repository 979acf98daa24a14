def key_shift(text, key):
    """Shift each letter of the text on by the place (a is 0) of the next
    letter of the lower-case key, which repeats; z is followed by a, case is
    kept, and other characters stay and use up no key letter."""
    result = ""
    used = 0
    for char in text:
        if not char.isalpha():
            result += char
            continue
        base = ord("A") if char.isupper() else ord("a")
        shift = ord(key[used % len(key)]) - ord("a")
        result += chr(base + (ord(char) - base + shift) % 26)
        used += 1
    return result
