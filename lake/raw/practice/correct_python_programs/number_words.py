SMALL = ("zero one two three four five six seven eight nine ten eleven twelve "
         "thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def number_words(number):
    """Write an integer from 0 to 999999 in English words; "and" stands only
    before a rest from 1 to 99, as in "one hundred and forty-two".
    """
    if number < 20:
        return SMALL.split()[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        words = TENS.split()[tens - 2]
        return words + "-" + number_words(ones) if ones else words
    size, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    count, rest = divmod(number, size)
    link = " and " if rest < 100 else " "
    tail = link + number_words(rest) if rest else ""
    return f"{number_words(count)} {name}{tail}"
