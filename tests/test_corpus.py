"""Corpora in QuixBugs' layout, and the split that keeps training and evaluation apart."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.corpus import checkout, layout, split
from coral_batch.corpus.split.overlap import (
    Overlap,
    check_overlaps,
    measure_overlaps,
    ngrams,
    subtrees,
)
from coral_batch.corpus.split.statistics import describe
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.records.problem import Problem
from coral_batch.records.settings import Corpus
from tests import REPOSITORY

CLASSICS = REPOSITORY / "lake/raw/classics"
LIMITS = params.load(REPOSITORY / "params.yaml").split


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return layout.read_layout(CLASSICS, "classics")


def test_the_bundled_corpus_has_the_40_problems(problems: list[Problem]) -> None:
    assert {problem.name for problem in problems} == split.NAMES
    with_cases = [problem for problem in problems if problem.cases]
    assert len(with_cases) == 32
    for problem in problems:
        assert (problem.tests is None) == bool(problem.cases)
        assert problem.docstring
        assert problem.docstring not in problem.buggy
        assert f"def {problem.name}(" in problem.buggy
        assert f"def {problem.name}(" in problem.reference


def test_reading_twice_gives_the_same_hashes_whatever_the_origin(problems: list[Problem]) -> None:
    again = layout.read_layout(CLASSICS, "elsewhere")
    assert [problem.sha256 for problem in again] == [problem.sha256 for problem in problems]


def _append(name: str, text: str) -> Callable[[Path], None]:
    def change(corpus: Path) -> None:
        (corpus / name).write_text((corpus / name).read_text() + text)

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: shutil.rmtree(c / "json_testcases"), ["json_testcases", "corpus.path"]),
        (lambda c: (c / "python_programs/gcd.py").unlink(), ["gcd", "39 programs"]),
        (lambda c: (c / "correct_python_programs/gcd.py").unlink(), ["gcd.py", "lacks a file"]),
        (lambda c: (c / "json_testcases/gcd.json").unlink(), ["test_gcd.py"]),
        (lambda c: (c / "json_testcases/gcd.json").write_text("\n"), ["gcd.json", "no test case"]),
        (_append("json_testcases/gcd.json", "[[1, 2], 1\n"), ["gcd.json", "line", "JSON"]),
        (_append("json_testcases/gcd.json", "[[1, 2], NaN]\n"), ["gcd.json", "NaN"]),
        (_append("json_testcases/gcd.json", "[[1, 2], 1e999]\n"), ["gcd.json", "JSON"]),
        (_append("json_testcases/gcd.json", "[[1, 2], 1, 2]\n"), ["gcd.json", "[1, 2], 1, 2"]),
        (_append("python_programs/gcd.py", "def broken(:\n"), ["gcd.py", "does not parse"]),
        (
            lambda c: (c / "python_programs/gcd.py").write_text("def other():\n    pass\n"),
            ["gcd.py", "def gcd(...)"],
        ),
        (
            lambda c: (c / "python_programs/gcd.py").write_bytes(b"def gcd(a):\n    'caf\xe9'\n"),
            ["gcd.py", "cannot be read"],
        ),
    ],
)
def test_a_broken_corpus_is_refused(
    tmp_path: Path, change: Callable[[Path], object], words: list[str]
) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(CLASSICS, corpus)
    change(corpus)
    with pytest.raises(CoralError) as caught:
        layout.read_layout(corpus, "test")
    for word in words:
        assert word in str(caught.value)


def test_module_level_strings_are_no_code(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(CLASSICS, corpus)
    program = corpus / "correct_python_programs/gcd.py"
    code = program.read_text()
    program.write_text(f'\n{code}\n"""\ndef gcd(a, b):\n    return 0\n"""\n')
    before, after = (
        next(p for p in layout.read_layout(folder, "") if p.name == "gcd").reference
        for folder in (CLASSICS, corpus)
    )
    assert after == before


def test_a_corpus_is_fetched_by_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    origin = tmp_path / "origin"
    shutil.copytree(CLASSICS, origin)

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(origin), "-c", "user.name=t", "-c", "user.email=t@t"]
        return subprocess.run(
            [*command, *arguments], check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    revision = git("rev-parse", "HEAD")
    (origin / "python_programs/gcd.py").unlink()
    git("commit", "--quiet", "--all", "--message", "second")
    corpus = Corpus("", str(origin), revision)
    checkout.fetch(corpus)
    folder, recorded = checkout.source(corpus)
    assert recorded == f"{origin}@{revision}"
    assert len(layout.read_layout(folder, "")) == 40
    assert not (folder / ".git").exists()
    shutil.rmtree(origin)
    checkout.fetch(corpus)  # which is there


def test_a_commit_that_cannot_be_fetched_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CoralError, match=r"corpus\.url"):
        checkout.fetch(Corpus("", str(tmp_path / "nowhere"), "0" * 40))
    assert list(lake.CHECKOUTS.iterdir()) == []


def test_the_split_is_the_authoritative_one(problems: list[Problem]) -> None:
    manifest = split.assign(problems)
    statistics = describe(problems, manifest, measure_overlaps(problems, manifest))
    assert (statistics.training.problems, statistics.training.share) == (24, 0.6)
    assert (statistics.test.problems, statistics.test.share) == (8, 0.2)
    assert (statistics.held_out.problems, statistics.held_out.share) == (8, 0.2)
    assert statistics.excluded.problems == 0
    assert statistics.json_cases.problems == 32
    assert set(statistics.json_cases.without) == split.HELD_OUT


def test_an_unknown_program_is_excluded(problems: list[Problem]) -> None:
    manifest = split.assign([*problems, replace(problems[0], name="bogosort")])
    assert manifest[-1].role == "excluded"


def test_a_test_problem_without_cases_is_refused(problems: list[Problem]) -> None:
    changed = [replace(p, cases=()) if p.name == "sieve" else p for p in problems]
    with pytest.raises(CoralError, match="sieve"):
        split.assign(changed)


def test_a_problem_in_two_roles_is_refused(problems: list[Problem]) -> None:
    manifest = split.assign(problems)
    sieve = next(row for row in manifest if row.name == "sieve")
    with pytest.raises(CoralError, match=r"sieve[^$]*training"):
        split.select(problems, [*manifest, replace(sieve, role="training")], "training")
    changed = [replace(row, role="training") if row is sieve else row for row in manifest]
    with pytest.raises(CoralError, match="sieve"):
        split.select(problems, changed, "test")


def test_a_manifest_of_another_corpus_is_refused(problems: list[Problem]) -> None:
    manifest = split.assign(problems)
    changed = [replace(p, sha256="0" * 64) if p.name == "sieve" else p for p in problems]
    with pytest.raises(CoralError, match="sieve"):
        split.select(changed, manifest, "test")


def test_only_training_problems_are_trained_on_and_only_test_problems_selected_on() -> None:
    split.check_training(split.TRAINING)
    split.check_selection(split.TEST)
    for name in split.TEST | split.HELD_OUT | {"bogosort"}:
        with pytest.raises(CoralError, match=name):
            split.check_training([name])
    for name in split.TRAINING | split.HELD_OUT | {"bogosort"}:
        with pytest.raises(CoralError, match=name):
            split.check_selection([name])


def test_what_was_trained_on_is_measured_only_when_asked_for_and_then_named() -> None:
    assert split.check_evaluation(split.HELD_OUT, "held_out") == []
    assert split.check_evaluation(split.NAMES, "all") == sorted(split.TRAINING)
    for name in split.TRAINING | split.TEST:
        with pytest.raises(CoralError, match=name):
            split.check_evaluation([name], "held_out")
    with pytest.raises(CoralError, match="bogosort"):
        split.check_evaluation(["bogosort"], "all")


def disguised(problems: list[Problem], change: Callable[[str], str]) -> list[Overlap]:
    """Measure the overlaps when `gcd`, a training problem, is `wrap`, a test problem, changed."""
    wrap = next(problem for problem in problems if problem.name == "wrap")
    program = change(wrap.reference)
    mixed = [replace(p, reference=program) if p.name == "gcd" else p for p in problems]
    return measure_overlaps(mixed, split.assign(mixed))


def test_a_disguised_evaluation_program_is_found(problems: list[Problem]) -> None:
    renamed = disguised(
        problems, lambda text: text.replace("text", "words").replace("cols", "limit")
    )
    pair = next(row for row in renamed if (row.evaluation, row.training) == ("wrap", "gcd"))
    assert (pair.similarity, pair.ngrams, pair.trees) == (1, 1, 1)
    with pytest.raises(CoralError, match="gcd \\(training\\), wrap"):
        check_overlaps(renamed, LIMITS)


def test_a_copied_part_in_a_longer_program_is_found(problems: list[Problem]) -> None:
    """As a whole the two are not alike; the n-grams and the subtrees give the copy away."""
    padding = "\n\ndef other(x):\n" + "".join(f"    x += x % {n}\n" for n in range(2, 60))
    padded = disguised(problems, lambda text: text + padding)
    pair = next(row for row in padded if (row.evaluation, row.training) == ("wrap", "gcd"))
    assert pair.similarity < LIMITS.near_duplicate
    assert pair.ngrams > 0.95
    assert pair.trees == 1
    with pytest.raises(CoralError, match=r"split\.ngrams"):
        check_overlaps(padded, LIMITS)
    with pytest.raises(CoralError, match=r"split\.trees"):
        check_overlaps(padded, replace(LIMITS, ngrams=2.0))


@pytest.mark.parametrize("field", ["buggy", "reference"])
def test_a_program_that_does_not_parse_is_named(problems: list[Problem], field: str) -> None:
    broken = replace(problems[0], **{field: f"$ {problems[0].reference}"})
    with pytest.raises(CoralError, match=rf"{broken.name}: {field}(?s:.*)corpus"):
        measure_overlaps([broken, *problems[1:]], split.assign(problems))


def test_the_bundled_corpus_overlaps_less_than_the_limits(problems: list[Problem]) -> None:
    rows = measure_overlaps(problems, split.assign(problems))
    assert len(rows) == 16 * 24
    check_overlaps(rows, LIMITS)


def test_names_and_layout_do_not_hide_an_overlap_and_short_programs_have_none() -> None:
    one = "def f(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n"
    two = "def g(x, y):\n    while y:  # on\n\n        x, y = (y, x % y)\n    return x\n"
    assert subtrees(one) == subtrees(two)
    assert ngrams(one) & ngrams(two)
    assert ngrams("x = 1\n") == set()
    assert subtrees("x = 1\n") == set()
