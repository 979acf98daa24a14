def nested_depth(value):
    if not isinstance(value, list):
        return 0
    deepest = 0
    for item in value:
        depth = nested_depth(item)
        if depth > deepest:
            deepest = depth
    return deepest + 1
