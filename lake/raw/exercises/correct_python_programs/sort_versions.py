def version_key(version):
    numbers, _, label = version.partition("-")
    parts = [int(number) for number in numbers.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return parts, label == "", label


def sort_versions(versions, newest_first=False):
    """Sort versions by their numbers, with 1.0 equal to 1, and with a label
    as in 1.0-beta before the same version without one.
    """
    return sorted(versions, key=version_key, reverse=newest_first)
