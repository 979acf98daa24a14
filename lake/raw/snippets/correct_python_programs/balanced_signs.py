def balanced_signs(numbers):
    positive = 0
    negative = 0
    for number in numbers:
        if number > 0:
            positive += 1
        elif number < 0:
            negative += 1
    return positive == negative
