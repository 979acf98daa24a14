def caesar(text, shift):
    result = []
    for letter in text:
        if letter.islower():
            base = ord("a")
        elif letter.isupper():
            base = ord("A")
        else:
            result.append(letter)
            continue
        moved = (ord(letter) - base + shift) % 26
        result.append(chr(base + moved))
    return "".join(result)
