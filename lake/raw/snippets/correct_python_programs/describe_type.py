def describe_type(value):
    # bool comes first because it is a kind of int.
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return f"text of {len(value)} characters"
    if value is None:
        return "nothing"
    return "something else"
