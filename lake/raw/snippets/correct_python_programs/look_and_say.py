def look_and_say(turns):
    term = "1"
    for _ in range(turns):
        following = ""
        count = 0
        for index, digit in enumerate(term):
            count += 1
            last = index + 1 == len(term)
            if last or term[index + 1] != digit:
                following += str(count) + digit
                count = 0
        term = following
    return term
