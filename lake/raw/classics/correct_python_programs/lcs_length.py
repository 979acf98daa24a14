def lcs_length(s, t):
    longest = 0
    for i in range(len(s)):
        for j in range(i + 1, len(s) + 1):
            if s[i:j] in t:
                longest = max(longest, j - i)
    return longest
