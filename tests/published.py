"""Published data sets, read whole and judged: what tests with a few rows of ours cannot show.

    python -m tests.published mbpp=mbpp.jsonl quixbugs=QuixBugs --exclude mbpp_123

Every reference is judged in the jail under the limits of params.yaml, and every bug that a data set
brings. The exit status is 1 if a reference fails whose problem is not excluded. A bug that passes
is named and no more: no test of its data set finds it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from coral_batch.corpus.readers import READERS
from coral_batch.lake import params
from coral_batch.records.problem import Problem
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import as_program
from coral_batch.verdicts.pool import judge
from tests import REPOSITORY


def check(reader: str, path: Path, exclude: Collection[str], settings: Verdicts) -> bool:
    """Judge a data set and print what comes out; return whether all its references pass."""
    problems, dropped = READERS[reader].read(path)
    reasons = ", ".join(f"{n} {reason}" for reason, n in Counter(d.reason for d in dropped).items())
    print(f"{reader}: {len(problems)} problems, {len(dropped)} dropped {reasons}".rstrip())
    for one in dropped:
        print(f"  {one.name} {one.reason}: {one.detail}")
    problems = [problem for problem in problems if problem.name not in exclude]
    failing = _failing(problems, [problem.reference for problem in problems], settings)
    for name, what in failing.items():
        print(f"  {name}, {what}")
    print(f"  references: {len(problems) - len(failing)} pass, {len(failing)} fail")
    if buggy := [problem for problem in problems if problem.buggy is not None]:
        found = _failing(buggy, [problem.buggy or "" for problem in buggy], settings)
        passing = [problem.name for problem in buggy if problem.name not in found]
        print(f"  bugs: {len(passing)} pass, {len(found)} fail", *passing)
    return not failing


def _failing(
    problems: Sequence[Problem], codes: Sequence[str], settings: Verdicts
) -> dict[str, str]:
    """Return problem -> the first case that its code fails, and how."""
    programs = [as_program(one, code) for one, code in zip(problems, codes, strict=True)]
    found = {}
    for problem, verdicts in zip(problems, judge(programs, settings), strict=True):
        bad = next((one for one in verdicts if one.kind != "PASS"), None)
        if bad is not None or not verdicts:
            what = f"case {bad.case}: {bad.kind} {bad.detail}" if bad else "nothing is tested"
            found[problem.name] = what
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sources", nargs="+", metavar="READER=PATH")
    parser.add_argument("--exclude", action="append", default=[], metavar="NAME")
    given = parser.parse_args(arguments)
    settings = params.load(REPOSITORY / "params.yaml").verdicts
    sources = [source.split("=", 1) for source in given.sources]
    right = [check(reader, Path(path), given.exclude, settings) for reader, path in sources]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
