"""The length of the docs: ``python -m tests.prose`` counts words and sentences.

Words are all of a page, tables and code included. Sentences are those of paragraphs and lists, of
three words or more; a colon ends one. The notebook and the changelog are not counted.
"""

import re
import sys
from collections.abc import Iterator

from tests import REPOSITORY

# What is counted -> its pages, the most words, the most words per sentence on average.
AIMS = {
    "README": (["README.md"], 900, 13),
    "docs": (["docs/*.md", "benchmarks/README.md"], 15_000, 14),
}
LONG, FEW = 30, 10
"""Of all sentences only a few may have more words than a long one."""
LEFT_OUT = "docs/notebook.md"
SHOWN = 20
NO_PROSE = re.compile(r"```.*?```|^[|#<].*?$", re.DOTALL | re.MULTILINE)
ENDS = re.compile(r"(?<=[.!?:])\s+|\n\s*\n|\n- |\Z")


def sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the words, the line and the text of each sentence."""
    kept = NO_PROSE.sub(lambda found: "\n" * found[0].count("\n"), text)
    start = 0
    for end in ENDS.finditer(kept):
        sentence = kept[start : end.start()]
        words = len(re.findall(r"[A-Za-z][\w'-]*", sentence))
        line = kept[:start].count("\n") + 1 + len(sentence) - len(sentence.lstrip("\n"))
        if words > 2:
            yield words, line, " ".join(sentence.split())
        start = end.end()


def measure() -> Iterator[tuple[bool, str]]:
    """Yield what was counted, each with whether an aim is missed; then the longest sentences."""
    longest = []
    for name, (patterns, most, mean) in AIMS.items():
        found = [page for pattern in patterns for page in sorted(REPOSITORY.glob(pattern))]
        pages = {str(page.relative_to(REPOSITORY)): page.read_text() for page in found}
        pages.pop(LEFT_OUT, None)
        words = sum(len(text.split()) for text in pages.values())
        every = [(page, *one) for page, text in pages.items() for one in sentences(text)]
        average = sum(one[1] for one in every) / len(every)
        yield words > most, f"{name}: {words} words of at most {most}"
        yield average > mean, f"{name}: {average:.1f} words per sentence of at most {mean}"
        longest += [(count, page, line, text) for page, count, line, text in every if count > LONG]
    yield len(longest) > FEW, f"{len(longest)} sentences over {LONG} words of at most {FEW}"
    for count, page, line, text in sorted(longest, reverse=True)[:SHOWN]:
        yield False, f"{page}:{line}: {count} words: {text}"


if __name__ == "__main__":
    counted = list(measure())
    print("\n".join(f"{'missed ' if missed else ''}{line}" for missed, line in counted))
    sys.exit(any(missed for missed, _ in counted))
