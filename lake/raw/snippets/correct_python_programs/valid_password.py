def valid_password(password):
    if len(password) < 8:
        return False
    has_digit = any(letter.isdigit() for letter in password)
    has_lower = any(letter.islower() for letter in password)
    has_upper = any(letter.isupper() for letter in password)
    return has_digit and has_lower and has_upper
