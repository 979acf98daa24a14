"""`objectives.runtime: measured` pays for speed: cases far too short for one run are told apart."""

import dataclasses
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.corpus.readers.quixbugs import read
from coral_batch.lake import params
from coral_batch.objectives.tables import score_samples
from coral_batch.records.rows import SampleRow
from coral_batch.records.verdict import Program
from coral_batch.verdicts.pool import judge
from coral_batch.verdicts.tables import judge_samples
from coral_batch.verdicts.timing import STARTUP
from tests import REPOSITORY
from tests.programs import untimed
from tests.rows import SAMPLE

PROBLEMS = {
    problem.name: problem
    for problem in read(REPOSITORY / "lake/raw/classics")[0]
    if problem.name in {"gcd", "is_valid_parenthesization"}
}
LOADED = params.load(REPOSITORY / "params.yaml")
SETTINGS = dataclasses.replace(LOADED, compute=dataclasses.replace(LOADED.compute, workers=1))
JAIL = dataclasses.replace(SETTINGS.verdicts, require=())


def slow(name: str, reference: str, above: str = "") -> str:
    """Return a program that does 50 times the work of the reference."""
    return (
        reference.replace(name, f"_{name}")
        + f"\n{above}\ndef {name}(*arguments):\n    for _ in range(50):\n"
        + f"        result = _{name}(*arguments)\n    return result\n"
    )


def once(reference: str, otherwise: str) -> str:
    """Return a program that does something else when it is loaded again in the same process."""
    return f"import os, sys\nif hasattr(sys, 'seen'):\n    {otherwise}\nsys.seen = 1\n{reference}"


def measured(name: str, codes: list[str], tmp_path: Path) -> list[float]:
    """Return the runtime objective of each program, through the tables of the stages."""
    samples: list[SampleRow] = [
        dataclasses.replace(SAMPLE, problem=name, sample=number, code=code)
        for number, code in enumerate(codes)
    ]
    objectives = dataclasses.replace(SETTINGS.objectives, runtime="measured")
    settings = dataclasses.replace(SETTINGS, objectives=objectives)
    problems = [PROBLEMS[name]]
    verdicts, times = judge_samples(samples, problems, settings, tmp_path / "journal")
    assert {row["kind"] for row in verdicts} == {"PASS"}
    judged, found = lake.frame("verdicts", verdicts), lake.frame("findings", [])
    timed = lake.frame("case_times", times)
    scores = score_samples(samples, judged, found, timed, {name: "test"}, objectives)
    return [row["runtime"] for row in scores]


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_program_50_times_slower_scores_lower(name: str, tmp_path: Path) -> None:
    reference = PROBLEMS[name].reference
    remembering = slow(name, reference, "import functools\n@functools.lru_cache")
    codes = [f"{reference}# as quick\n", slow(name, reference), remembering]
    quick, slower, kept = measured(name, codes, tmp_path)
    assert slower < quick / 3
    # What it remembers is gone when the module is loaded again.
    assert kept < quick / 3


def test_who_does_not_run_again_gains_nothing_by_it(tmp_path: Path) -> None:
    reference = PROBLEMS["gcd"].reference
    otherwise = (
        "os._exit(0)",
        "raise SystemExit",
        "os.kill(os.getpid(), 9)",
        "os.write(3, b'junk' * 3_000_000)",
        "os.write(3, b'\\4\\0\\0\\0null') + os._exit(0)",
        "os.write(3, b'\\x03\\0\\0\\0[0]') + os._exit(0)",
    )
    codes = [reference, *(once(reference, other) for other in otherwise)]
    quick, *others = measured("gcd", codes, tmp_path)
    for does, other in zip(otherwise, others, strict=True):
        assert other < quick, does


_HIDES = """
import os, sys, time
frame = sys._getframe()
while frame is not None:
    if "spent" in frame.f_locals:  # the rounds
        text = str([1] * len(frame.f_locals["calls"])).encode()
        os.write(3, len(text).to_bytes(4, "little") + text)
        os._exit(0)
    frame = frame.f_back
sys.modules["inside.program"].thread_time_ns = lambda: 0
while time.thread_time() < {seconds}:
    pass
"""


def test_who_works_in_the_first_run_alone_gains_no_more_than_starting_may_take(
    tmp_path: Path,
) -> None:
    reference = PROBLEMS["gcd"].reference
    hiding = _HIDES.format(seconds=STARTUP + 0.006) + reference
    quick, other = measured("gcd", [reference, hiding], tmp_path)
    assert other < quick / 3


def test_running_again_changes_no_verdict() -> None:
    counting = "seen = []\ndef gcd(a, b):\n    seen.append(a)\n    return len(seen)\n"
    names = [slow("gcd", PROBLEMS["gcd"].reference), counting, "def gcd(a):\n", "gcd = 1\n"]
    programs = [Program("gcd", code, PROBLEMS["gcd"].cases, None, {}) for code in names]

    assert untimed(judge(programs, JAIL, 1, timed=True)) == untimed(judge(programs, JAIL, 1))
