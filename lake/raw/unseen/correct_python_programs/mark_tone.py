from unicodedata import normalize


def mark_tone(syllable):
    """Return a Chinese syllable such as "hao3" with its tone, 1 to 4, as a
    mark on a vowel: on the a, or else the e, or else the o of "ou", or else
    the last vowel. There is no mark for 5, and v is written for a u with dots.
    """
    letters, tone = syllable[:-1].replace("v", "\u00fc"), int(syllable[-1])
    if tone == 5:
        return letters
    place = max(letters.rfind(vowel) for vowel in "iou\u00fc")
    for sound in ("ou", "e", "a"):
        if sound in letters:
            place = letters.index(sound)
    mark = "\u0304\u0301\u030c\u0300"[tone - 1]
    marked = normalize("NFC", letters[place] + mark)
    return letters[:place] + marked + letters[place + 1:]
