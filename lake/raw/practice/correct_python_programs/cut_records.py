def cut_records(text):
    """Cut a text of records, each written as its length, a colon and then
    that many characters, into a list of records; None for a malformed text."""
    records = []
    at = 0
    while at < len(text):
        colon = text.find(":", at)
        if colon < 0 or not text[at:colon].isdigit():
            return None
        start = colon + 1
        end = start + int(text[at:colon])
        if end > len(text):
            return None
        records.append(text[start:end])
        at = end
    return records
