def interleave(first, second):
    mixed = []
    for left, right in zip(first, second):
        mixed.append(left)
        mixed.append(right)
    shared = min(len(first), len(second))
    # Only one of the two tails has anything in it.
    return mixed + first[shared:] + second[shared:]
