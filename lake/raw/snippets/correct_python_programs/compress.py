def compress(text):
    pieces = []
    index = 0
    while index < len(text):
        end = index
        while end < len(text) and text[end] == text[index]:
            end += 1
        pieces.append(f"{text[index]}{end - index}")
        index = end
    return "".join(pieces)
