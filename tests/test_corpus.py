"""Corpora in QuixBugs' layout, and the split that keeps training and evaluation apart."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.corpus.readers import quixbugs as layout
from coral_batch.corpus.roles import coralx
from coral_batch.corpus.roles.assignment import assign
from coral_batch.corpus.split.overlap import MEASURES, Overlap, leaked, measure_overlaps
from coral_batch.corpus.split.roles import (
    LEAKED,
    check_complete,
    check_roles,
    exclude,
    make_manifest,
    select,
)
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.records.problem import Problem, Role, Suite
from coral_batch.records.settings import Shares, Source
from stages.split import split
from tests import REPOSITORY
from tests.errors import refused
from tests.readers import passes

CLASSICS = REPOSITORY / "lake/raw/classics"
LIMITS = params.load(REPOSITORY / "params.yaml").split


def given_roles(
    problems: list[Problem],
    roles: str | Shares = "quixbugs",
    path: Path = CLASSICS,
    exclude: tuple[str, ...] = (),
) -> list[Role]:
    return assign(problems, "classics", Source("quixbugs", str(path), roles, exclude))


PROBLEMS = layout.read(CLASSICS)[0]
MANIFEST = make_manifest([given_roles(PROBLEMS)])


WRAP = next(problem for problem in PROBLEMS if problem.name == "wrap")
PROGRAMS = ("python_programs", "correct_python_programs")


def _append(name: str, text: str) -> Callable[[Path], None]:
    def change(corpus: Path) -> None:
        (corpus / name).write_text((corpus / name).read_text() + text)

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: shutil.rmtree(c / PROGRAMS[1]), [PROGRAMS[1], "corpus.sources"]),
        (lambda c: [(c / one / "gcd.py").unlink() for one in PROGRAMS], ["gcd", "39 programs"]),
        (lambda c: (c / "python_programs/gcd.py").unlink(), ["gcd.py", "no such file"]),
        (
            lambda c: shutil.copy(c / PROGRAMS[1] / "gcd.py", c / PROGRAMS[0]),
            ["python_programs/gcd.py", "equals the correct one"],
        ),
        (lambda c: (c / "json_testcases/gcd.json").unlink(), ["test_gcd.py"]),
        (lambda c: (c / "json_testcases/gcd.json").write_text("\n"), ["gcd.json", "no test case"]),
        (
            _append("python_testcases/test_detect_cycle.py", "if 1:\n    def test_c(): pass\n"),
            ["test_detect_cycle.py", "def test_c(): only plain"],
        ),
        (
            _append(
                "python_testcases/test_detect_cycle.py",
                "def test_c():\n    try: detect_cycle(0)\n    except AttributeError: pass\n",
            ),
            ["test_detect_cycle.py", "catches an exception"],
        ),
        (_append("json_testcases/gcd.json", "[[1, 2], 1, 2]\n"), ["gcd.json", "[1, 2], 1, 2"]),
        (_append("python_programs/gcd.py", "def broken(:\n"), ["gcd.py", "does not parse"]),
        (
            lambda c: (c / "python_programs/gcd.py").write_text("def other():\n    pass\n"),
            ["gcd.py", "def gcd(...)"],
        ),
    ],
)
def test_a_broken_corpus_is_refused(
    tmp_path: Path, change: Callable[[Path], object], words: list[str]
) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(CLASSICS, corpus)
    change(corpus)
    with refused(*words):
        given_roles(layout.read(corpus)[0], path=corpus)


def test_module_level_strings_are_no_code(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(CLASSICS, corpus)
    program = corpus / "correct_python_programs/gcd.py"
    code = program.read_text()
    program.write_text(f'\n{code}\n"""\ndef gcd(a, b):\n    return 0\n"""\n')
    before, after = (
        next(p for p in layout.read(folder)[0] if p.name == "gcd").reference
        for folder in (CLASSICS, corpus)
    )
    assert after == before


def test_the_split_is_the_authoritative_one() -> None:
    for role, names in coralx.ROLES.items():
        assert {row.name for row in MANIFEST if row.role == role} == names
    assert [len(names) for names in coralx.ROLES.values()] == [24, 8, 8]
    tests = "kheapsort lcs_length next_palindrome next_permutation possible_change sieve to_base"
    assert {*tests.split(), "wrap"} == coralx.TEST
    assert {row.name for row in MANIFEST if row.judged != "cases"} == coralx.HELD_OUT


def test_an_unknown_program_is_excluded_from_the_authoritative_split() -> None:
    *_, last = given_roles([*PROBLEMS, replace(PROBLEMS[0], name="bogosort")])
    assert (last.role, last.reason) == ("excluded", "not one of the 40 QuixBugs names")


def test_shares_leave_a_problem_where_it_is_when_others_are_added() -> None:
    shares = Shares(0.5, 0.2, 0.3)
    few, all_ = (
        {row.name: row.role for row in given_roles(problems, shares)}
        for problems in (PROBLEMS[::2], PROBLEMS)
    )
    assert all_.items() > few.items()


def test_shares_are_as_large_as_they_say() -> None:
    many = [replace(PROBLEMS[0], name=f"problem_{number}") for number in range(4000)]
    counted = Counter(row.role for row in given_roles(many, Shares(0.6, 0.1, 0.3)))
    assert counted["training"] / 4000 == pytest.approx(0.6, abs=0.03)
    assert counted["test"] / 4000 == pytest.approx(0.1, abs=0.02)
    assert {row.role for row in given_roles(many, Shares(0.0, 1.0, 0.0))} == {"test"}


def test_shares_leave_functions_of_one_module_together() -> None:
    def roles(shares: Shares, *places: tuple[str, str]) -> list[str]:
        problems = [
            replace(PROBLEMS[0], name=name, tests=Suite(".", file, ("test",), "0", "0"))
            for name, file in places
        ]
        return [row.role for row in given_roles(problems, shares)]

    alone = []
    for tenth in range(11):
        shares = Shares(tenth / 10, 1 - tenth / 10, 0.0)
        one, other = roles(shares, ("stats_mean", "stats.py"), ("stats_spread", "stats.py"))
        assert one == other
        alone.append(roles(shares, *((f"src_{name}", f"src/{name}.py") for name in "abcdefgh")))
    assert any(len(set(found)) == 2 for found in alone)


def test_programs_may_have_a_test_file_and_nothing_else(tmp_path: Path) -> None:
    for place, text in {
        "correct_python_programs/half.py": "def half(n):\n    return n / 2\n",
        "python_testcases/test_half.py": "from half import half\n\n\ndef test_half():\n"
        "    assert half(4) == 2\n",
    }.items():
        (tmp_path / place).parent.mkdir()
        (tmp_path / place).write_text(text)
    ((problem,), _) = layout.read(tmp_path)
    assert passes([problem]) == [True]


def write_roles(folder: Path, *lines: str) -> None:
    (folder / "roles.jsonl").write_text("\n".join(lines) + "\n")


def test_roles_come_from_a_file_beside_the_source(tmp_path: Path) -> None:
    write_roles(tmp_path, '{"name": "gcd", "role": "test"}', '{"name": "lis", "role": "training"}')
    roles = {row.name: row.role for row in given_roles(PROBLEMS, "file", tmp_path)}
    assert (roles.pop("gcd"), roles.pop("lis")) == ("test", "training")
    assert set(roles.values()) == {"excluded"}


def test_a_broken_file_of_roles_is_refused(tmp_path: Path) -> None:
    for lines, words in {
        (): ["is empty"],
        ('{"name": "gcd", "role": "tested"}',): ["line 1", "role", "tested", "held_out"],
        ('{"name": "bogosort", "role": "test"}',): ["line 1", "bogosort", "to an unknown problem"],
        ('{"name": "gcd", "role": "test"}',) * 2: ["line 2", "two rows have the same name", "gcd"],
    }.items():
        write_roles(tmp_path, *lines)
        with refused("roles.jsonl", *words):
            given_roles(PROBLEMS, "file", tmp_path)
    with pytest.raises(CoralError, match="folder"):  # beside a source that is a file
        given_roles(PROBLEMS, "file", tmp_path / "roles.jsonl")


def test_problems_are_excluded_by_name() -> None:
    roles = {row.name: row.role for row in given_roles(PROBLEMS, exclude=("gcd", "wrap"))}
    assert (roles["gcd"], roles["wrap"], roles["sieve"]) == ("excluded", "excluded", "test")
    with pytest.raises(CoralError, match=r"exclude(?s:.*)bogosort"):
        given_roles(PROBLEMS, "test", exclude=("bogosort",))


def test_one_name_in_two_sources_is_refused() -> None:
    other = replace(MANIFEST[0], source="elsewhere")
    with pytest.raises(CoralError, match=rf"{other.name}(?s:.*)classics(?s:.*)elsewhere"):
        make_manifest([MANIFEST, [other]])


def test_a_corpus_without_one_of_the_roles_is_refused() -> None:
    for role in ("training", "test", "held_out"):
        excluded = {row.name: f"{LEAKED} gcd" for row in MANIFEST if row.role == role}
        with pytest.raises(CoralError, match=f"no {role} problem(?s:.*): {LEAKED} gcd"):
            check_complete(exclude(MANIFEST, excluded))
    with pytest.raises(CoralError, match=r"no training problem(?s:.*)found: +'classics'"):
        check_complete([replace(row, role="test") for row in MANIFEST])


def test_a_manifest_that_was_made_for_other_problems_is_refused() -> None:
    others = [replace(one, sha256="0" * 64) if one.name == "sieve" else one for one in PROBLEMS]
    without = [row for row in MANIFEST if row.name != "sieve"]
    for corpus, rows in ((others, MANIFEST), (PROBLEMS, without)):
        with pytest.raises(CoralError, match=r"manifest[\s\S]*sieve"):
            select(corpus, rows, "test")


def test_only_training_problems_are_trained_on_and_only_test_problems_selected_on() -> None:
    training, test = coralx.TRAINING | {"gcd-3"}, coralx.TEST | {"wrap-1"}
    for role, allowed, others in (("training", training, test), ("test", test, training)):
        check_roles(allowed, MANIFEST, role)
        for name in others | coralx.HELD_OUT | {"bogosort"}:
            with pytest.raises(CoralError, match=name):
                check_roles([name], MANIFEST, role)


def disguised(change: Callable[[str], str]) -> list[Overlap]:
    """Measure the overlaps when `gcd`, a training problem, is `wrap`, a test problem, changed."""
    program = change(WRAP.reference)
    mixed = [replace(p, reference=program) if p.name == "gcd" else p for p in PROBLEMS]
    return measure_overlaps(mixed, MANIFEST)


def test_a_disguised_evaluation_program_is_found() -> None:
    def rename(text: str) -> str:
        return text.replace("text", "words").replace("cols", "limit")

    renamed = disguised(rename)
    pair = next(row for row in renamed if (row.evaluation, row.other) == ("wrap", "gcd"))
    assert (pair.similarity, pair.ngrams, pair.trees) == (1, 1, 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(xs):\n    return min(xs)\n", "def g(ys):\n    return sum(ys)\n"),
        (
            "import heapq\n\n\ndef f(xs, n):\n    return heapq.nsmallest(n, set(xs))[::-1]\n",
            "import heapq\n\n\ndef g(ys, k):\n    return heapq.nlargest(k, set(ys))[::-1]\n",
        ),
    ],
)
def test_another_function_or_method_is_another_program(one: str, other: str) -> None:
    references = {"gcd": one, "wrap": other}
    mixed = [replace(p, reference=references.get(p.name, p.reference)) for p in PROBLEMS]
    rows = measure_overlaps(mixed, MANIFEST)
    pair = next(row for row in rows if (row.evaluation, row.other) == ("wrap", "gcd"))
    assert max(pair.similarity, pair.ngrams) < 1
    assert pair.trees == 0


def test_a_copied_part_in_a_longer_program_is_found() -> None:
    """As a whole the two are not alike; the n-grams and the subtrees give the copy away."""
    padding = "\n\ndef other(x):\n" + "".join(f"    x += x % {n}\n" for n in range(2, 60))
    padded = disguised(lambda text: text + padding)
    pair = next(row for row in padded if (row.evaluation, row.other) == ("wrap", "gcd"))
    assert pair.similarity < LIMITS.near_duplicate
    assert pair.ngrams > 0.95
    assert pair.trees == 1
    with pytest.raises(CoralError, match=r"split\.ngrams"):
        leaked(padded, LIMITS)
    with pytest.raises(CoralError, match=r"split\.trees"):
        leaked(padded, replace(LIMITS, ngrams=2.0))


def test_the_bundled_corpus_overlaps_less_than_the_limits() -> None:
    rows = measure_overlaps(PROBLEMS, MANIFEST)
    assert {row.evaluation for row in rows} == coralx.TEST | coralx.HELD_OUT
    leaked(rows, LIMITS)


def test_the_closest_program_is_that_of_all_pairs() -> None:
    """Most pairs are ruled out by a bound; the largest of all is found nevertheless."""
    name = "shortest_paths"
    own = next(row for row in MANIFEST if row.name == name)
    found = [row for row in measure_overlaps(PROBLEMS, MANIFEST) if row.evaluation == name]
    pairs = [
        pair
        for other in MANIFEST
        if other.role in ("training", "test")
        for pair in measure_overlaps(
            [one for one in PROBLEMS if one.name in (name, other.name)],
            [replace(other, role="training"), replace(own, role="test")],
        )
    ]
    for measure in MEASURES:
        largest = max(getattr(row, measure) for row in pairs)
        assert max(getattr(row, measure) for row in found) == largest


def test_all_programs_that_are_leaked_are_named_at_once() -> None:
    """Whoever adds a source of many programs should not find them one run at a time."""
    references = {problem.name: problem.reference for problem in PROBLEMS}
    copied = {"gcd": "wrap", "bitcount": "sieve"}
    mixed = [replace(one, reference=references[copied.get(one.name, one.name)]) for one in PROBLEMS]
    with pytest.raises(CoralError, match="one of each pair") as caught:
        leaked(measure_overlaps(mixed, MANIFEST), LIMITS)
    for other, evaluation in copied.items():
        pair = f"{other} (training), {evaluation} (test): near_duplicate 1.000"
        assert str(caught.value).count(pair) == 1


def test_a_held_out_copy_of_a_program_that_is_selected_on_is_refused_or_excluded() -> None:
    row = next(row for row in MANIFEST if row.name == "wrap")
    copied = [*PROBLEMS, replace(WRAP, name="fold")]
    rows = [*MANIFEST, replace(row, name="fold", role="held_out")]
    overlaps = measure_overlaps(copied, rows)
    with refused("wrap (test), fold (held_out)", "split.overlapping to exclude"):
        leaked(overlaps, LIMITS)
    limits = replace(LIMITS, overlapping="exclude")
    reasons = leaked(overlaps, limits)
    assert list(reasons) == ["fold"]
    kept = exclude(rows, reasons)
    assert kept[-1].role == "excluded"
    assert kept[-1].reason.startswith("too similar to wrap (test): ")
    assert {problem.name for problem in select(copied, kept, "held_out")} == coralx.HELD_OUT
    renamed = disguised(lambda text: text)
    assert list(leaked(renamed, limits)) == ["wrap"]  # a test program


@pytest.mark.usefixtures("workspace")
def test_tables_of_sources_that_are_gone_are_removed() -> None:
    """Later stages depend on the whole folder."""
    for name in ("classics", "gone"):
        for table in ("problems", "source_roles", "corpus_dropped"):
            file = lake.path(table, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    with pytest.raises(CoralError):  # an empty table has no problem
        split()
    assert {file.stem for file in lake.path("problems", "any").parent.rglob("*.jsonl")} == {
        "classics"
    }
