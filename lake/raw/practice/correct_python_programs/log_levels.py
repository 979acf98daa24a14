import re
from collections import Counter

LINE = re.compile(r"^\[(\w+)\] (.+)$")


def log_levels(lines):
    """Return how many lines each level has, as [level, count] from the most
    frequent on. Lines that do not look like "[LEVEL] text" are left out.
    """
    counts = Counter()
    for line in lines:
        match = LINE.match(line)
        if match:
            counts[match.group(1).upper()] += 1
    return [[level, count] for level, count in counts.most_common()]
