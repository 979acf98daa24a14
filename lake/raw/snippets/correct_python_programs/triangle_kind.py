def triangle_kind(a, b, c):
    short, middle, long = sorted([a, b, c])
    if short <= 0 or short + middle <= long:
        return "none"
    if short == long:
        return "equilateral"
    if short == middle or middle == long:
        return "isosceles"
    return "scalene"
