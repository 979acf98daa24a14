"""What the bundled bug-fix corpus promises: one bug a program, true examples, clean code."""

import difflib
import doctest
import json
import subprocess
import sys

from coral_batch.corpus.readers.quixbugs import read
from coral_batch.corpus.roles.coralx import HELD_OUT
from tests import REPOSITORY

CLASSICS = REPOSITORY / "lake/raw/classics"
PROBLEMS = {problem.name: problem for problem in read(CLASSICS)[0]}
BUGGY, REFERENCE = "python_programs", "correct_python_programs"


def test_the_buggy_program_differs_from_the_reference_in_one_line() -> None:
    for name, problem in PROBLEMS.items():
        texts = (problem.buggy.splitlines(), problem.reference.splitlines())
        _, _, *diff = difflib.unified_diff(*texts, n=0)
        assert "".join(line[0] for line in diff) in ("@-+", "@-", "@+"), name


def test_the_reference_gives_what_the_docstring_shows() -> None:
    for name, problem in PROBLEMS.items():
        assert "Input:" in problem.docstring, name
        assert "Output:" in problem.docstring, name
        space: dict[str, object] = {}
        exec(compile(problem.reference, name, "exec"), space)
        examples = doctest.DocTestParser().get_doctest(problem.docstring, space, name, None, None)
        assert examples.examples or name in HELD_OUT, name
        shown: list[str] = []
        outcome = doctest.DocTestRunner(verbose=False).run(examples, out=shown.append)
        assert outcome.failed == 0, "".join(shown)


def test_cases_are_distinct_and_no_comment_gives_the_bug_away() -> None:
    for name, problem in PROBLEMS.items():
        inputs = [json.dumps(case.inputs) for case in problem.cases]
        assert len(inputs) == len(set(inputs)), name
        assert len(inputs) in range(8, 13) or name in HELD_OUT, name
        assert "#" not in problem.buggy + problem.reference, name


def test_all_code_is_clean_for_flake8_and_bandit() -> None:
    flake8 = [sys.executable, "-m", "flake8", "--isolated", str(CLASSICS)]
    bandit = [sys.executable, "-m", "bandit", "-q", "-r"]
    programs = [str(CLASSICS / BUGGY), str(CLASSICS / REFERENCE)]
    for command in (flake8, [*bandit, *programs]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
