"""Which bugs a model is shown: own ones and injected ones, spread over programs."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch import lake
from coral_batch.corpus.sources.rows import make_problem
from coral_batch.corpus.split.reading import as_problems
from coral_batch.corpus.split.shown import measured, selected_on
from coral_batch.records.problem import Case, Problem, Role, program_of
from coral_batch.records.settings import Evaluation, Validation
from stages.split import split
from tests.errors import refused
from tests.one_bug import REFERENCE, bug_of
from tests.rows import role_row
from tests.settings import set_params, set_sources

ROLES = {"gcd": "training", "wrap": "test", "sieve": "test", "one": "held_out", "two": "held_out"}
ONE = Case((1,), 2)


def problem_of(name: str, own: bool) -> Problem:
    reference = REFERENCE.format(name=name)
    buggy = reference.replace("+", "-") if own else None
    return make_problem(name, name, reference, buggy=buggy, cases=(ONE,))


PROBLEMS = [problem_of(name, own=name != "two") for name in ROLES]
MANIFEST = [role_row(problem, ROLES[problem.name]) for problem in PROBLEMS]
TEST = [problem for problem in PROBLEMS if ROLES[problem.name] == "test"]
BUGS = [bug_of(name, number) for name in ROLES for number in range(1, 6)]


def names(which: str, bugs: int) -> list[str]:
    shown = measured(PROBLEMS, BUGS, MANIFEST, Evaluation(which, bugs, 1))
    return [problem.name for problem in shown]


def test_coral_x_measures_the_own_bugs_of_held_out_problems() -> None:
    assert names("held_out", 0) == ["one"]


def test_injected_bugs_are_those_of_held_out_programs_alone() -> None:
    found = names("held_out", 100)
    assert found == ["one", *(f"{name}-{n}" for name in ("one", "two") for n in range(1, 6))]
    everything = names("all", 100)
    assert set(everything) == {*found, "gcd", "wrap", "sieve"}


@given(count=st.integers(1, 12), programs=st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_every_program_gives_its_first_bug_before_one_gives_its_second(
    count: int, programs: list[int]
) -> None:
    problems = [problem_of(f"p{n}", own=True) for n in range(len(programs))]
    manifest = [role_row(problem, "held_out") for problem in problems]
    bugs = [bug_of(f"p{n}", k) for n, many in enumerate(programs) for k in range(1, many + 1)]
    chosen = measured(problems, bugs, manifest, Evaluation("held_out", count, 1))
    injected = [one.name for one in chosen if "-" in one.name]
    assert len(injected) == min(count, len(bugs))
    counts = Counter(map(program_of, injected))
    most = max(counts.values(), default=0)
    for n, many in enumerate(programs):
        assert counts[f"p{n}"] >= min(many, most - 1)
        numbers = [int(name.split("-")[1]) for name in injected if program_of(name) == f"p{n}"]
        assert numbers == list(range(1, len(numbers) + 1))


def test_more_bugs_keep_those_that_were_chosen() -> None:
    for count in range(1, 10):
        assert set(names("held_out", count)) < set(names("held_out", count + 1))


def test_an_injected_bug_is_its_program_with_another_bug() -> None:
    own, bug = measured(PROBLEMS, BUGS, MANIFEST, Evaluation("held_out", 1, 1))
    program = program_of(bug.name)
    assert own.name == "one"
    assert bug.function == program
    assert bug.buggy == next(one.buggy for one in BUGS if one.id == bug.name)
    assert bug.sha256 != next(one.sha256 for one in PROBLEMS if one.name == program)


def test_a_bug_of_a_program_that_is_gone_is_of_another_run() -> None:
    with refused("come from different runs", BUGS[0].id, "dvc repro"):
        as_problems([], BUGS[:1])


def test_selection_takes_bugs_that_fail_nearest_to_half_of_the_cases_first() -> None:
    shares = {"wrap-1": 1.0, "wrap-2": 0.5, "wrap-3": 0.9, "sieve-1": 0.1, "sieve-2": 0.4}
    bugs = [bug_of(program_of(name), int(name[-1]), failed) for name, failed in shares.items()]

    def chosen(count: int) -> set[str]:
        return {one.name for one in selected_on(TEST, bugs, Validation(count, 0, 1))[0]} - {
            "wrap",
            "sieve",
        }

    assert chosen(0) == set()
    assert chosen(2) == {"wrap-2", "sieve-2"}
    assert chosen(4) == {"wrap-2", "sieve-2", "wrap-3", "sieve-1"}
    assert selected_on(TEST, bugs, Validation(0, 0, 1)) == (TEST, [])


PROGRAMS = {
    "training": "def add(a, b):\n    return a + b\n",
    "test": "def last(items):\n    for item in items:\n        pass\n    return item\n",
    "held_out": "def words(text):\n    return [w.lower() for w in text.split() if w]\n",
}


@pytest.mark.parametrize(
    ("role", "setting"), [("test", "validation.bugs"), ("held_out", "evaluation.bugs")]
)
def test_a_split_without_a_bug_to_repair_is_refused_before_training(
    workspace: Path, role: str, setting: str
) -> None:
    set_sources({"test": {"reader": "quixbugs", "path": "programs", "roles": "test"}})
    set_params({"validation.bugs": 0, "evaluation.bugs": 0})
    problems = [
        make_problem(name, name, reference, buggy=None if name == role else "pass", cases=(ONE,))
        for name, reference in PROGRAMS.items()
    ]
    lake.write_rows("problems", problems, "test")
    rows = [role_row(problem, problem.name) for problem in problems]
    lake.write_rows("source_roles", rows, "test")
    with refused(setting, "there is no bug to repair"):
        split()
    set_params({setting: 1})
    split()


@given(bugs=st.integers(0, 12), read=st.integers(0, 12))
def test_more_bugs_are_read_than_repaired_and_none_is_both(bugs: int, read: int) -> None:
    repaired, others = selected_on(TEST, BUGS, Validation(bugs, read, 1))
    injected = [one.name for one in repaired if "-" in one.name]
    assert (len(injected), len(others)) == (min(bugs, 10), min(read, 10 - len(injected)))
    found = {one.name for one in others}
    assert not found & set(injected)
    assert {program_of(name) for name in found} <= {"wrap", "sieve"}


def test_programs_whose_tests_detect_no_bug_are_refused() -> None:
    correct = [replace(problem, buggy=None) for problem in PROBLEMS]
    with refused("evaluation.bugs", "add tests that detect bugs"):
        measured(correct, [], MANIFEST, Evaluation("held_out", 5, 1))


def test_a_held_out_program_may_be_like_a_test_program_that_is_excluded(workspace: Path) -> None:
    def program(name: str, changed: int) -> str:
        lines = [f"    n = n {'-' if k < changed else '+'} {k}\n" for k in range(20)]
        return f"def {name}(n):\n{''.join(lines)}    return n\n"

    codes = {
        "taught": ("training", program("taught", 0)),
        "like": ("test", program("like", 8)),
        "other": ("test", PROGRAMS["test"].replace("last", "other")),
        "liker": ("held_out", program("liker", 16)),
    }
    set_sources({"test": {"reader": "quixbugs", "path": "programs", "roles": "test"}})
    set_params({"split.overlapping": "exclude", "split.ngrams": 1.0, "split.trees": 1.0})
    problems = [
        make_problem(name, name, code, buggy="pass", cases=(ONE,))
        for name, (_, code) in codes.items()
    ]
    lake.write_rows("problems", problems, "test")
    rows = [role_row(problem, codes[problem.name][0]) for problem in problems]
    lake.write_rows("source_roles", rows, "test")
    split()
    roles = {row.name: row.role for row in lake.read_rows("manifest", Role)}
    assert roles == {**{name: role for name, (role, _) in codes.items()}, "like": "excluded"}
    assert "like" not in lake.read_frame("overlaps")["other"]
