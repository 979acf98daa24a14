def bucket_passes(capacity, rate, requests):
    """Tell for each request [second, size] whether a token bucket lets it
    pass, which takes as many tokens as its size; one that asks for more than
    there are takes none. The bucket is full at second 0 and gains rate tokens
    a second up to its capacity.
    """
    tokens, last = capacity, 0
    passed = []
    for second, size in requests:
        tokens = min(capacity, tokens + rate * (second - last))
        last = second
        passed.append(size <= tokens)
        if passed[-1]:
            tokens -= size
    return passed
