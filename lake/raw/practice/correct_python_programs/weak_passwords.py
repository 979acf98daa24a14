import string


def weak_passwords(passwords, least):
    """Return the passwords that are shorter than least or lack a digit or a
    punctuation mark, in the order given.
    """
    weak = []
    for password in passwords:
        digits = any(char in string.digits for char in password)
        marks = any(char in string.punctuation for char in password)
        if len(password) < least or not (digits and marks):
            weak.append(password)
    return weak
