import base64


def encode_token(user, secret):
    """Return the value of a basic authorization header: "Basic " and user
    and secret, joined by a colon, in base 64; a user may have no colon.
    """
    if ":" in user:
        return ""
    pair = f"{user}:{secret}".encode()
    return "Basic " + base64.b64encode(pair).decode()
