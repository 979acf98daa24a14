import json


def merge_settings(texts):
    """Return JSON objects, given as texts, merged into one text with sorted
    keys: later values win, and a null removes a key.
    """
    merged = {}
    for text in texts:
        for key, value in json.loads(text).items():
            if value is None:
                merged.pop(key, None)
            else:
                merged[key] = value
    return json.dumps(merged, sort_keys=True)
