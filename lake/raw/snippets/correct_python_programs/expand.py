def expand(text):
    result = ""
    count = ""
    for symbol in text:
        if symbol.isdigit():
            count += symbol
        else:
            repeat = int(count) if count else 1
            result += symbol * repeat
            count = ""
    return result
