def mobile_weight(mobile):
    """Return the total weight of a mobile, or -1 if it is not balanced.

    A mobile is a weight or a beam [left length, left mobile, right length,
    right mobile]; each beam needs equal length times weight on both sides.
    """
    if not isinstance(mobile, list):
        return mobile
    left_length, left, right_length, right = mobile
    left_weight = mobile_weight(left)
    right_weight = mobile_weight(right)
    if left_weight == -1 or right_weight == -1:
        return -1
    if left_length * left_weight != right_length * right_weight:
        return -1
    return left_weight + right_weight
