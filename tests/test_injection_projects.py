"""Bugs are put into the functions of a project, and its own tests find them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from coral_batch.corpus.injection.trials import inject
from coral_batch.lake import params
from coral_batch.verdicts.pool import judge
from tests.readers import SETTINGS, read

HALVED = '''"""How often a number can be halved."""


def times(number):
    """Return it.

    >>> times(8)
    3
    """
    count = 0
    while _even(number) and number > 1:
        number = number // 2
        count += 1
    return count


def _even(number):
    return number % 2 == 0
'''
TESTS = "from halved import times\n\n\ndef test_odd():\n    assert times(12) == 2\n"


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Return the trials, and bug -> program."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "halved.py").write_text(HALVED)
    (folder / "test_halved.py").write_text(TESTS)
    problems, _ = read("folder", folder)
    injection = replace(params.load().injection, each=8)
    judging = partial(judge, settings=SETTINGS, workers=1)
    rows, bugs = inject(problems, injection, 0, judging, "here")
    return rows, {bug.id: bug.buggy for bug in bugs}


def test_each_bug_is_in_the_function_under_test(tried: tuple[object, dict[str, str]]) -> None:
    programs = {name.rpartition("-")[0] for name in tried[1]}
    assert programs == {"halved_times", "halved__even"}
    helper = HALVED[HALVED.index("def _even") :]
    assert all(helper in code for name, code in tried[1].items() if "times" in name)


def test_a_bug_that_never_ends_is_found_by_counting_lines(
    tried: tuple[list[dict[str, str]], dict[str, str]],
) -> None:
    rows, bugs = tried
    assert any("H" in row["outcomes"] for row in rows)
    kept = {row["outcomes"] for row in rows if row["number"]} & {"F", "FP", "PF", "FF"}
    assert kept and bugs
