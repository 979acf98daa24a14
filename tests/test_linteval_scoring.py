"""Answers get the official and the strict score, and each complaint is followed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from coral_batch.errors import CoralError
from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.scores.tables import Rows, score_samples
from coral_batch.records.configuration import Knobs
from coral_batch.records.items import Item, ItemTests
from coral_batch.records.rows import LintSampleRow
from tests.linteval_sources import CLEAN, an_item, fenced, in_jail, its_tests

CODE = "import os\ndef double(x):\n  return x+x"
FEEDBACK = (
    "F401: 'os' imported but unused in 1 line\n"
    "E302: expected 2 blank lines, found 0 in 2 line\n"
    "E111: indentation is not a multiple of 4 in 3 line\n"
    "W292: no newline at end of file in 3 line\n"
)
TESTED, UNTESTED = 7, 8
ITEMS = [an_item(number, CODE, CLEAN, feedback=FEEDBACK) for number in (TESTED, UNTESTED)]
TESTS = [its_tests(TESTED, "a", "double", (2, 4), (3, 6)), its_tests(UNTESTED, "b")]


def sample(text: str, item: int = TESTED, number: int = 0) -> LintSampleRow:
    knobs, code = Knobs(0.6, 1.0, 50, 1.0), code_of(text)
    return LintSampleRow(item, number, "base", None, knobs, "p", text, code, 1, 1, "eos")


def scored(samples: Sequence[LintSampleRow]) -> dict[str, Rows]:
    return score_samples(samples, ITEMS, TESTS, in_jail, 1)


@pytest.mark.parametrize(("items", "tests"), [(ITEMS[1:], TESTS), (ITEMS, TESTS[1:])])
def test_an_answer_to_an_item_that_is_not_there_is_told(
    items: list[Item], tests: list[ItemTests]
) -> None:
    with pytest.raises(CoralError, match=rf"items\.jsonl[\s\S]*no row for item {TESTED}"):
        score_samples([sample(CLEAN)], items, tests, in_jail, 1)


EXITS = "def double(x):\n    exit()\n"
SILENCED = "def double(x):\n    return x+x  # noqa\n\n\n\n\ny = 1  # noqa\n"
# Before 3.11.4 flake8 itself crashes on null bytes.
NULL = "unparseable" if sys.version_info >= (3, 11, 4) else "unlinted"

HOSTILE = {
    # name: (answer, official, strict, outcome, tests pass)
    "the canonical code": (fenced(CLEAN), True, True, "clean", True),
    "clean but wrong": (fenced("def double(x):\n    return x\n"), True, False, "clean", False),
    "the item's own code": (fenced(CODE + "\n"), False, False, "findings", True),
    "complaints behind noqa": (fenced(SILENCED), True, False, "silenced", True),
    "a file clean by decree": (fenced(f"# flake8: noqa\n{CODE}\n"), True, False, "silenced", True),
    "an empty answer": ("", True, False, "empty", False),
    "an empty block": ("```python\n\n```", False, False, "empty", False),
    "another language": ("```java\nint x;\n```", False, False, "empty", False),
    "no Python": ("Sure! I would be happy to help.", False, False, "unparseable", False),
    "a syntax error with noqa": ("def f(:  # noqa\n", True, False, "unparseable", False),
    "100 kB": (fenced("x = 1\n" * 17_000), False, False, "unlinted", False),
    "a null byte": (fenced("x = '\0'\n"), False, False, NULL, False),
    "a lone surrogate": (fenced("x = '\ud800'\n"), False, False, "unlinted", False),
    "the code twice": (f"{fenced(CLEAN)}\n{fenced(CLEAN)}", False, False, "findings", True),
    "no final newline": (f"```python\n{CLEAN.rstrip()}", False, False, "findings", True),
    "a program that ends itself": (fenced(EXITS), True, False, "clean", False),
}


def test_every_bad_answer_has_a_clear_verdict() -> None:
    answers = [sample(text, number=n) for n, (text, *_) in enumerate(HOSTILE.values())]
    rows = scored(answers)["linteval_scores"]
    found = {
        name: [row["official"], row["strict"], row["outcome"], row["tests"]]
        for name, row in zip(HOSTILE, rows, strict=True)
    }
    assert found == {name: expected for name, (_, *expected) in HOSTILE.items()}


def test_each_complaint_is_followed_and_what_noqa_hides_is_told() -> None:
    hidden = "import os  # noqa\nimport re\n\n\ndef double(x):\n    return 4\n"
    rows = scored(
        [
            sample(fenced("def double(x):\n  y = 1\n  return x + x\n")),
            sample("", number=1),
            sample(fenced(hidden), number=2),
        ]
    )
    changes = [tuple(row.values())[1:] for row in rows["linteval_changes"]]
    assert changes == [
        (0, "E111", 1, 2, "stayed"),
        (0, "E302", 1, 0, "fixed"),
        (0, "F401", 1, 0, "fixed"),
        (0, "F841", 0, 1, "new"),
        (0, "W292", 1, 0, "fixed"),
        (1, "E111", 1, 0, "lost"),
        (1, "E302", 1, 0, "lost"),
        (1, "F401", 1, 0, "lost"),
        (1, "W292", 1, 0, "lost"),
        (2, "E111", 1, 0, "fixed"),
        (2, "E302", 1, 0, "fixed"),
        (2, "F401", 1, 2, "stayed"),
        (2, "W292", 1, 0, "fixed"),
    ]
    found = [row for row in rows["linteval_findings"] if row["sample"] == 2]
    assert [(row["code"], row["line"], row["silenced"]) for row in found] == [
        ("F401", 2, True),
        ("F401", 3, False),
    ]
    verdicts = [row for row in rows["linteval_verdicts"] if row["sample"] == 2]
    assert [(row["case"], row["kind"], row["detail"]) for row in verdicts] == [
        (0, "PASS", ""),
        (1, "FAIL", "returned 4"),
    ]


def test_an_item_without_tests_has_no_strict_score() -> None:
    (row,) = scored([sample(fenced(CLEAN), UNTESTED)])["linteval_scores"]
    assert (row["official"], row["strict"], row["tests"]) == (True, None, None)
