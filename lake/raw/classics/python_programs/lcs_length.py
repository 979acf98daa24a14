def lcs_length(s, t):
    longest = 0
    for i in range(len(s)):
        for j in range(i + 1, len(s) + 1):
            if s[i:j] in t:
                longest = j - i
    return longest


"""
Longest stretch that two strings share

A stretch of a string is a run of neighbouring characters.

Input:
    s: a str, possibly empty
    t: a str, possibly empty

Output:
    An int, the length of the longest stretch of s that also occurs in t

Examples:
    >>> lcs_length('garden', 'warden')
    5
    >>> lcs_length('north', 'south')
    2
"""
