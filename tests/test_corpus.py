"""Corpora in QuixBugs' layout, and the split that keeps training and evaluation apart."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch import lake
from coral_batch.corpus.readers import quixbugs as layout
from coral_batch.corpus.sources import checkout, quixbugs
from coral_batch.corpus.sources.assignment import assign
from coral_batch.corpus.split.overlap import (
    MEASURES,
    Overlap,
    given_away,
    measure_overlaps,
    ngrams,
    subtrees,
)
from coral_batch.corpus.split.roles import (
    check_evaluation,
    check_selection,
    check_training,
    exclude,
    make_manifest,
    select,
)
from coral_batch.corpus.split.statistics import describe
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.records.problem import Problem, Role
from coral_batch.records.settings import Shares, Source
from tests import REPOSITORY

CLASSICS = REPOSITORY / "lake/raw/classics"
LIMITS = params.load(REPOSITORY / "params.yaml").split


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return assign(layout.read(CLASSICS, "classics")[0], "quixbugs", CLASSICS)


def manifest_of(problems: list[Problem]) -> list[Role]:
    return make_manifest({"classics": problems})


def test_the_bundled_corpus_has_the_40_problems(problems: list[Problem]) -> None:
    assert {problem.name for problem in problems} == quixbugs.NAMES
    with_cases = [problem for problem in problems if problem.cases]
    assert len(with_cases) == 32
    for problem in problems:
        assert (problem.tests is None) == bool(problem.cases)
        assert problem.docstring
        assert problem.docstring not in problem.buggy
        assert f"def {problem.name}(" in problem.buggy
        assert f"def {problem.name}(" in problem.reference


def test_byte_order_marks_are_skipped(problems: list[Problem], tmp_path: Path) -> None:
    shutil.copytree(CLASSICS, tmp_path, dirs_exist_ok=True)
    for file in (*tmp_path.glob("*/*.py"), *tmp_path.glob("*/*.json")):
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    marked, _ = layout.read(tmp_path, "classics")
    assert [problem.sha256 for problem in marked] == [problem.sha256 for problem in problems]


def test_reading_twice_gives_the_same_hashes_whatever_the_origin(problems: list[Problem]) -> None:
    again, _ = layout.read(CLASSICS, "elsewhere")
    assert [problem.sha256 for problem in again] == [problem.sha256 for problem in problems]


PROGRAMS = ("python_programs", "correct_python_programs")


def _append(name: str, text: str) -> Callable[[Path], None]:
    def change(corpus: Path) -> None:
        (corpus / name).write_text((corpus / name).read_text() + text)

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: shutil.rmtree(c / "json_testcases"), ["json_testcases", "corpus.sources"]),
        (
            lambda c: [(c / folder / "gcd.py").unlink() for folder in PROGRAMS],
            ["gcd", "39 programs"],
        ),
        (lambda c: (c / "python_programs/gcd.py").unlink(), ["gcd.py", "no such file"]),
        (
            lambda c: shutil.copy(c / PROGRAMS[1] / "gcd.py", c / PROGRAMS[0]),
            ["python_programs/gcd.py", "is the correct one"],
        ),
        (lambda c: (c / "correct_python_programs/gcd.py").unlink(), ["gcd.py", "no such file"]),
        (lambda c: (c / "json_testcases/gcd.json").unlink(), ["test_gcd.py"]),
        (lambda c: (c / "json_testcases/gcd.json").write_text("\n"), ["gcd.json", "no test case"]),
        (
            _append("python_testcases/test_detect_cycle.py", "if 1:\n    def test_c(): pass\n"),
            ["test_detect_cycle.py", "test_c in a block"],
        ),
        (
            _append(
                "python_testcases/test_detect_cycle.py",
                "def test_c():\n    try: detect_cycle(0)\n    except AttributeError: pass\n",
            ),
            ["test_detect_cycle.py", "catches an exception"],
        ),
        (
            _append("python_testcases/test_detect_cycle.py", "def test_c(:\n"),
            ["test_detect_cycle.py", "does not parse"],
        ),
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
        assign(layout.read(corpus, "test")[0], "quixbugs", corpus)
    for word in words:
        assert word in str(caught.value)


def test_module_level_strings_are_no_code(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(CLASSICS, corpus)
    program = corpus / "correct_python_programs/gcd.py"
    code = program.read_text()
    program.write_text(f'\n{code}\n"""\ndef gcd(a, b):\n    return 0\n"""\n')
    before, after = (
        next(p for p in layout.read(folder, "")[0] if p.name == "gcd").reference
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
    source = Source("quixbugs", "", "quixbugs", str(origin), revision)
    checkout.fetch(source)
    folder, recorded = checkout.place(source)
    assert recorded == f"{origin}@{revision}"
    assert len(layout.read(folder, "")[0]) == 40
    assert not (folder / ".git").exists()
    shutil.rmtree(origin)
    checkout.fetch(source)  # which is there


@pytest.mark.parametrize("url", ["nowhere", "file:///nowhere%ff"])
def test_a_commit_that_cannot_be_fetched_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CoralError, match=r"corpus\.sources: url[\s\S]*nowhere"):
        checkout.fetch(Source("quixbugs", "", "quixbugs", url, "0" * 40))
    assert list(lake.CHECKOUTS.iterdir()) == []


def test_a_checkout_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lake.CHECKOUTS.parent.mkdir()
    lake.CHECKOUTS.touch()
    with pytest.raises(CoralError, match=f"{lake.CHECKOUTS}/{'0' * 40}[\\s\\S]*write access"):
        checkout.fetch(Source("quixbugs", "", "quixbugs", str(tmp_path), "0" * 40))


def test_the_split_is_the_authoritative_one(problems: list[Problem]) -> None:
    statistics = describe(manifest_of(problems), measure_overlaps(problems))
    assert (statistics.training.problems, statistics.training.share) == (24, 0.6)
    assert (statistics.test.problems, statistics.test.share) == (8, 0.2)
    assert (statistics.held_out.problems, statistics.held_out.share) == (8, 0.2)
    assert statistics.excluded.problems == 0
    assert statistics.json_cases.problems == 32
    assert set(statistics.json_cases.without) == quixbugs.HELD_OUT


def test_an_unknown_program_is_excluded_from_the_authoritative_split(
    problems: list[Problem],
) -> None:
    more = assign([*problems, replace(problems[0], name="bogosort")], "quixbugs", CLASSICS)
    assert (more[-1].role, more[-1].reason) == ("excluded", "not one of the 40 QuixBugs names")


def test_a_test_problem_without_cases_is_refused(problems: list[Problem]) -> None:
    changed = [replace(p, cases=()) if p.name == "sieve" else p for p in problems]
    with pytest.raises(CoralError, match="sieve"):
        assign(changed, "quixbugs", CLASSICS)


def test_all_of_a_source_can_have_one_role(problems: list[Problem]) -> None:
    assert {p.role for p in assign(problems, "held_out", CLASSICS)} == {"held_out"}


@given(
    names=st.sets(st.from_regex(r"[a-z_][a-z0-9_]{0,12}", fullmatch=True), min_size=1),
    more=st.sets(st.from_regex(r"[a-z_][a-z0-9_]{0,12}", fullmatch=True)),
)
def test_shares_leave_a_problem_where_it_is_when_others_are_added(
    problems: list[Problem], names: set[str], more: set[str]
) -> None:
    shares = Shares(0.5, 0.2, 0.3)

    def roles(names: set[str]) -> dict[str, str]:
        renamed = [replace(problems[0], name=name) for name in sorted(names)]
        return {p.name: p.role for p in assign(renamed, shares, CLASSICS)}

    assert roles(names | more).items() >= roles(names).items()


def test_shares_are_as_large_as_they_say(problems: list[Problem]) -> None:
    many = [replace(problems[0], name=f"problem_{number}") for number in range(4000)]
    counted = Counter(p.role for p in assign(many, Shares(0.6, 0.1, 0.3), CLASSICS))
    assert counted["training"] / 4000 == pytest.approx(0.6, abs=0.03)
    assert counted["test"] / 4000 == pytest.approx(0.1, abs=0.02)
    assert {p.role for p in assign(many, Shares(0.0, 1.0, 0.0), CLASSICS)} == {"test"}


@pytest.mark.parametrize(
    "names",
    [
        [("stats_mean", "mean"), ("stats_spread", "spread"), ("stats", "mean")],
        [("debugbench_two_sum_1", "twoSum"), ("debugbench_two_sum_13", "two_sum")],
    ],
)
def test_shares_leave_together_what_gives_one_another_away(
    problems: list[Problem], names: list[tuple[str, str]]
) -> None:
    alike = [replace(problems[0], name=name, function=function) for name, function in names]
    for tenth in range(11):
        shares = Shares(tenth / 10, 1 - tenth / 10, 0.0)
        roles = {one.role for one in assign(alike, shares, CLASSICS)}
        assert len(roles) == 1


def write_roles(folder: Path, *lines: str) -> None:
    (folder / "roles.jsonl").write_text("\n".join(lines) + "\n")


def test_roles_come_from_a_file_beside_the_source(problems: list[Problem], tmp_path: Path) -> None:
    write_roles(tmp_path, '{"name": "gcd", "role": "test"}', '{"name": "lis", "role": "training"}')
    roles = {p.name: p.role for p in assign(problems, "file", tmp_path)}
    assert (roles.pop("gcd"), roles.pop("lis")) == ("test", "training")
    assert set(roles.values()) == {"excluded"}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((), ["names nobody"]),
        (('{"name": "gcd", "role": "tested"}',), ["line 1", "role", "tested", "held_out"]),
        (('{"name": "gcd"}',), ["line 1", "role"]),
        (("gcd test",), ["line 1", "JSON"]),
        (('{"name": "bogosort", "role": "test"}',), ["line 1", "bogosort", "one of the 40"]),
        (('{"name": "gcd", "role": "test"}',) * 2, ["line 2", "two roles", "gcd"]),
    ],
)
def test_a_broken_file_of_roles_is_refused(
    problems: list[Problem], tmp_path: Path, lines: tuple[str, ...], words: list[str]
) -> None:
    write_roles(tmp_path, *lines)
    with pytest.raises(CoralError) as caught:
        assign(problems, "file", tmp_path)
    for word in ("roles.jsonl", *words):
        assert word in str(caught.value)


def test_a_source_that_is_a_file_has_no_file_of_roles(
    problems: list[Problem], tmp_path: Path
) -> None:
    (tmp_path / "mbpp.jsonl").write_text("{}\n")
    with pytest.raises(CoralError, match="folder"):
        assign(problems, "file", tmp_path / "mbpp.jsonl")


def test_problems_are_excluded_by_name(problems: list[Problem]) -> None:
    roles = {p.name: p.role for p in assign(problems, "quixbugs", CLASSICS, ["gcd", "wrap"])}
    assert (roles["gcd"], roles["wrap"], roles["sieve"]) == ("excluded", "excluded", "test")
    with pytest.raises(CoralError, match=r"exclude(?s:.*)bogosort"):
        assign(problems, "test", CLASSICS, ["bogosort"])


def test_one_name_in_two_sources_is_refused(problems: list[Problem]) -> None:
    other = replace(problems[0], origin="elsewhere")
    with pytest.raises(CoralError, match=rf"{other.name}(?s:.*)classics(?s:.*)elsewhere"):
        make_manifest({"one": problems, "two": [other]})


@pytest.mark.parametrize("role", ["training", "test", "held_out"])
def test_a_corpus_without_one_of_the_roles_is_refused(problems: list[Problem], role: str) -> None:
    with pytest.raises(CoralError, match=f"no {role} problem"):
        make_manifest({"classics": [p for p in problems if p.role != role]})


def test_a_problem_in_two_roles_is_refused(problems: list[Problem]) -> None:
    manifest = manifest_of(problems)
    sieve = next(row for row in manifest if row.name == "sieve")
    with pytest.raises(CoralError, match=r"sieve[^$]*training"):
        select(problems, [*manifest, replace(sieve, role="training")], "training")
    changed = [replace(row, role="training") if row is sieve else row for row in manifest]
    with pytest.raises(CoralError, match="sieve"):
        select(problems, changed, "test")


def test_a_manifest_of_another_corpus_is_refused(problems: list[Problem]) -> None:
    manifest = manifest_of(problems)
    changed = [replace(p, sha256="0" * 64) if p.name == "sieve" else p for p in problems]
    with pytest.raises(CoralError, match="sieve"):
        select(changed, manifest, "test")


def test_only_training_problems_are_trained_on_and_only_test_problems_selected_on(
    problems: list[Problem],
) -> None:
    manifest = manifest_of(problems)
    check_training(quixbugs.TRAINING | {"gcd-3"}, manifest)
    check_selection(quixbugs.TEST | {"wrap-1"}, manifest)
    for name in quixbugs.TEST | quixbugs.HELD_OUT | {"bogosort", "wrap-1"}:
        with pytest.raises(CoralError, match=name):
            check_training([name], manifest)
    for name in quixbugs.TRAINING | quixbugs.HELD_OUT | {"bogosort", "gcd-3"}:
        with pytest.raises(CoralError, match=name):
            check_selection([name], manifest)


def test_what_was_trained_on_is_measured_only_when_asked_for_and_then_named(
    problems: list[Problem],
) -> None:
    manifest = manifest_of(problems)
    assert check_evaluation(quixbugs.HELD_OUT | {"detect_cycle-2"}, manifest, "held_out") == []
    assert check_evaluation(quixbugs.NAMES, manifest, "all") == sorted(quixbugs.TRAINING)
    for name in quixbugs.TRAINING | quixbugs.TEST | {"gcd-3"}:
        with pytest.raises(CoralError, match=name):
            check_evaluation([name], manifest, "held_out")
    with pytest.raises(CoralError, match="bogosort"):
        check_evaluation(["bogosort"], manifest, "all")


def disguised(problems: list[Problem], change: Callable[[str], str]) -> list[Overlap]:
    """Measure the overlaps when `gcd`, a training problem, is `wrap`, a test problem, changed."""
    wrap = next(problem for problem in problems if problem.name == "wrap")
    program = change(wrap.reference)
    mixed = [replace(p, reference=program) if p.name == "gcd" else p for p in problems]
    return measure_overlaps(mixed)


def test_a_disguised_evaluation_program_is_found(problems: list[Problem]) -> None:
    renamed = disguised(
        problems, lambda text: text.replace("text", "words").replace("cols", "limit")
    )
    pair = next(row for row in renamed if (row.evaluation, row.other) == ("wrap", "gcd"))
    assert (pair.similarity, pair.ngrams, pair.trees) == (1, 1, 1)
    with pytest.raises(CoralError, match="gcd \\(training\\), wrap \\(test\\)"):
        given_away(renamed, LIMITS)


def test_a_copied_part_in_a_longer_program_is_found(problems: list[Problem]) -> None:
    """As a whole the two are not alike; the n-grams and the subtrees give the copy away."""
    padding = "\n\ndef other(x):\n" + "".join(f"    x += x % {n}\n" for n in range(2, 60))
    padded = disguised(problems, lambda text: text + padding)
    pair = next(row for row in padded if (row.evaluation, row.other) == ("wrap", "gcd"))
    assert pair.similarity < LIMITS.near_duplicate
    assert pair.ngrams > 0.95
    assert pair.trees == 1
    with pytest.raises(CoralError, match=r"split\.ngrams"):
        given_away(padded, LIMITS)
    with pytest.raises(CoralError, match=r"split\.trees"):
        given_away(padded, replace(LIMITS, ngrams=2.0))


@pytest.mark.parametrize("field", ["buggy", "reference"])
def test_a_program_that_does_not_parse_is_named(problems: list[Problem], field: str) -> None:
    broken = replace(problems[0], **{field: f"$ {problems[0].reference}"})
    with pytest.raises(CoralError, match=rf"{broken.name}: {field}(?s:.*)corpus"):
        measure_overlaps([broken, *problems[1:]])


def test_the_bundled_corpus_overlaps_less_than_the_limits(problems: list[Problem]) -> None:
    rows = measure_overlaps(problems)
    assert {row.evaluation for row in rows} == quixbugs.TEST | quixbugs.HELD_OUT
    given_away(rows, LIMITS)


@pytest.mark.parametrize("name", ["wrap", "shortest_paths"])
def test_the_closest_program_is_that_of_all_pairs(problems: list[Problem], name: str) -> None:
    """Most pairs are ruled out by a bound; the largest of all is found nevertheless."""
    own = next(problem for problem in problems if problem.name == name)
    found = [row for row in measure_overlaps(problems) if row.evaluation == name]
    seen = {"training"} if own.role == "test" else {"training", "test"}
    pairs = [
        row
        for other in problems
        if other.role in seen
        for row in measure_overlaps([replace(other, role="training"), replace(own, role="test")])
    ]
    for measure in MEASURES:
        largest = max(getattr(row, measure) for row in pairs)
        assert max(getattr(row, measure) for row in found) == largest


def test_a_copy_of_a_program_that_is_selected_on_is_refused_as_held_out(
    problems: list[Problem],
) -> None:
    wrap = next(problem for problem in problems if problem.name == "wrap")
    copy = replace(wrap, name="fold", role="held_out")
    with pytest.raises(CoralError, match="wrap \\(test\\), fold \\(held_out\\)") as caught:
        given_away(measure_overlaps([*problems, copy]), LIMITS)
    assert "split.overlapping to exclude" in str(caught.value)


def test_all_programs_that_are_given_away_are_named_at_once(problems: list[Problem]) -> None:
    """Whoever adds a source of many programs should not find them one run at a time."""
    test = {problem.name: problem for problem in problems if problem.role == "test"}
    copied = dict(zip(["gcd", "bitcount"], ["wrap", "sieve"], strict=True))
    mixed = [
        replace(p, reference=test[copied[p.name]].reference) if p.name in copied else p
        for p in problems
    ]
    with pytest.raises(CoralError, match="one of each pair") as caught:
        given_away(measure_overlaps(mixed), LIMITS)
    for other, evaluation in copied.items():
        pair = f"{other} (training), {evaluation} (test): near_duplicate 1.000"
        assert str(caught.value).count(pair) == 1


def test_a_held_out_program_that_is_given_away_can_be_excluded(problems: list[Problem]) -> None:
    wrap = next(problem for problem in problems if problem.name == "wrap")
    copy = replace(wrap, name="fold", role="held_out")
    limits = replace(LIMITS, overlapping="exclude")
    reasons = given_away(measure_overlaps([*problems, copy]), limits)
    assert list(reasons) == ["fold"]
    manifest = exclude(manifest_of([*problems, copy]), reasons)
    assert (manifest[-1].role, manifest[-1].reason[:11]) == ("excluded", "wrap (test)")
    held_out = select([*problems, copy], manifest, "held_out")
    assert {problem.name for problem in held_out} == quixbugs.HELD_OUT
    renamed = disguised(problems, lambda text: text)
    with pytest.raises(CoralError, match="wrap \\(test\\)") as caught:
        given_away(renamed, limits)
    assert "split.overlapping" not in str(caught.value)  # which keeps held-out programs alone


def test_names_and_layout_do_not_hide_an_overlap_and_short_programs_have_none() -> None:
    one = "def f(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n"
    two = "def g(x, y):\n    while y:  # on\n\n        x, y = (y, x % y)\n    return x\n"
    assert subtrees(one) == subtrees(two)
    assert ngrams(one) & ngrams(two)
    assert ngrams("x = 1\n") == set()
    assert subtrees("x = 1\n") == set()
