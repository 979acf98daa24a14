"""CodeLinterEval items: built from programs, or read; what is kept keeps what it computes."""

from __future__ import annotations

import ast
import functools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch import lake, params
from coral_batch.corpus.codelintereval import read_codelintereval
from coral_batch.corpus.folder import read_folder
from coral_batch.corpus.mbpp import read_mbpp
from coral_batch.corpus.snippets import read_snippets
from coral_batch.errors import CoralError
from coral_batch.linteval.build import DEFAULT_FLAKE8, DataSet, build, feedback, item_id
from coral_batch.linteval.item import (
    PLACEHOLDERS,
    Candidate,
    Dropped,
    Inputs,
    Item,
    ItemStatistics,
    ItemTests,
    fill,
)
from coral_batch.linteval.mutants import FAULTS, Fault, mutants, put_in
from coral_batch.linteval.prompts import PROMPTS
from coral_batch.linteval.view import View
from coral_batch.seeding import generator
from coral_batch.verdicts import Program, Verdict, judge
from stages.linteval_items import linteval_items
from tests.conftest import REPOSITORY

SNIPPETS = read_snippets(REPOSITORY / "lake/raw/snippets")
CLASSICS = REPOSITORY / "lake/raw/classics/correct_python_programs"


def in_jail(programs: Sequence[Program], workers: int = 1) -> list[list[Verdict]]:
    return judge(programs, params.load(REPOSITORY / "params.yaml").verdicts, workers)


def made_of(candidates: Sequence[Candidate], language: str = "en") -> DataSet:
    return build(candidates, PROMPTS[language], in_jail, workers=1)


@pytest.fixture(scope="module")
def bundled() -> DataSet:
    """The default data set."""
    return build(mutants(SNIPPETS, 1), PROMPTS["ru"], functools.partial(in_jail, workers=2))


# The feedback


def test_feedback_has_the_published_form() -> None:
    """The kinds of findings of the two published examples, on a program of our own."""
    code = (
        "import math\n\ndef circle(radius,scale):\n  area = math.pi * radius ** 2\n"
        "  if scale:\n    area *= scale\n  return area"
    )
    assert feedback(DEFAULT_FLAKE8(code)) == (
        "E302: expected 2 blank lines, found 1 in 3 line\n"
        "E231: missing whitespace after ',' in 3 line\n"
        "E111: indentation is not a multiple of 4 in 4 line\n"
        "E111: indentation is not a multiple of 4 in 5 line\n"
        "E111: indentation is not a multiple of 4 in 7 line\n"
        "W292: no newline at end of file in 7 line\n"
    )


def test_feedback_is_that_of_the_flake8_command(bundled: DataSet, tmp_path: Path) -> None:
    for item in bundled.items:
        (tmp_path / f"{item.meta.id}.py").write_text(item.inputs.code)
    (tmp_path / "setup.cfg").write_text("[flake8]\nmax-line-length = 10\n")
    shown = subprocess.run(
        [
            sys.executable,
            "-m",
            "flake8",
            "--isolated",
            "--format=%(path)s|%(code)s: %(text)s in %(row)d line",
            ".",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    told: dict[int, str] = {}
    for line in shown.splitlines():
        path, text = line.split("|", 1)
        number = int(Path(path).stem)
        told[number] = told.get(number, "") + text + "\n"
    assert told == {item.meta.id: item.inputs.feedback for item in bundled.items}


def test_noqa_is_honoured_and_the_missing_newline_is_told() -> None:
    assert feedback(DEFAULT_FLAKE8("import os  # noqa\n")) == ""
    assert feedback(DEFAULT_FLAKE8("x = 1")) == "W292: no newline at end of file in 1 line\n"


# The prompt


@given(code=st.text(), complaints=st.text())
def test_a_prompt_holds_code_and_feedback_to_the_letter(code: str, complaints: str) -> None:
    inputs = Inputs(code, complaints)
    assert fill("a {code} b {feedback} c", inputs) == f"a {code} b {complaints} c"
    assert (
        fill("{feedback}{0} {} {x}{code}.", inputs)
        == f"{complaints}{{0}} {{}} {{x}}{code}.".strip()
    )


@pytest.mark.parametrize("language", ["ru", "en"])
def test_ten_different_instructions_ask_for_a_fenced_answer(language: str) -> None:
    assert len(set(PROMPTS[language])) == 10
    for instruction in PROMPTS[language]:
        assert all(instruction.count(placeholder) == 1 for placeholder in PLACEHOLDERS)
        assert "```python\n<code>" in instruction
        assert instruction.isascii() == (language == "en")


# The lint errors


def places(fault: Fault, most: int) -> list[tuple[Candidate, str]]:
    """Return programs with the fault put in: up to `most`, each of another snippet."""
    found = []
    for program in SNIPPETS:
        stream = generator(1, "test", program.source, fault.code)
        mutant = put_in(fault, program.code, stream)
        if mutant is not None and len(found) < most:
            found.append((program, mutant))
    return found


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.code)
def test_every_kind_of_lint_error_appears_where_it_is_put_in(fault: Fault) -> None:
    mutated = places(fault, 8)
    assert mutated
    for program, mutant in mutated:
        codes = {finding.code for finding in DEFAULT_FLAKE8(mutant)}
        assert fault.code in codes, f"{program.source}\n{mutant}"
        assert not codes & {"E999", "E902", "F821"}
        if fault.layout:
            assert ast.dump(ast.parse(mutant)) == ast.dump(ast.parse(program.code))


def test_every_kind_of_lint_error_keeps_what_the_program_does() -> None:
    programs = [
        Program(
            f"{fault.code} {program.source}",
            program.function or "",
            mutant,
            program.cases,
            None,
            {},
        )
        for fault in FAULTS
        for program, mutant in places(fault, 3 if fault.layout else 8)
    ]
    for program, verdicts in zip(programs, in_jail(programs, workers=2), strict=True):
        wrong = [verdict for verdict in verdicts if verdict.kind != "PASS"]
        assert not wrong, f"{program.id}: {wrong[0]}\n{program.code}"


def test_the_snippets_are_small_clean_and_none_of_the_training_problems() -> None:
    assert len(SNIPPETS) == 60
    for snippet in SNIPPETS:
        assert DEFAULT_FLAKE8(snippet.code) == []
        assert 4 <= len(snippet.code.splitlines()) <= 25, snippet.source
        assert len(snippet.cases) >= 4
    assert not {snippet.source for snippet in SNIPPETS} & {file.stem for file in CLASSICS.iterdir()}


def test_the_view_of_a_program_counts_characters() -> None:
    view = View('word = "größe"; size = len(word)  # ☃\nlast = size\n')
    assert [view.text(node) for node in view.tree.body] == [
        'word = "größe"',
        "size = len(word)",
        "last = size",
    ]


# The bundled data set


def test_the_default_is_120_items_of_many_codes(bundled: DataSet) -> None:
    statistics = bundled.statistics
    assert (statistics.kept, statistics.dropped, bundled.dropped) == (120, {}, ())
    assert len(statistics.findings) >= 25
    assert sum(statistics.findings.values()) == sum(
        item.inputs.feedback.count("\n") for item in bundled.items
    )
    assert [count.items for count in statistics.prompts] == [12] * 10
    programs = Counter(tests.source.split()[0] for tests in bundled.tests)
    assert set(programs.values()) == {2}
    clean = {snippet.source: snippet.code for snippet in SNIPPETS}
    for item, tests in zip(bundled.items, bundled.tests, strict=True):
        assert item.meta.id == tests.id == item_id(item.inputs.code)
        assert item.meta.canonical_code == clean[tests.source.split()[0]]
        assert tests.cases
    assert len({item.meta.id for item in bundled.items}) == 120


def test_the_same_seed_gives_the_same_programs_and_another_seed_others(bundled: DataSet) -> None:
    first = [item.inputs.code for item in bundled.items]
    assert [program.code for program in mutants(SNIPPETS, 1)] == first
    second = [program.code for program in mutants(SNIPPETS, 2)]
    assert len(set(first) & set(second)) < 12


def test_the_prompt_never_shows_what_is_hidden(bundled: DataSet) -> None:
    for item in bundled.items:
        prompt = fill(item.instruction, item.inputs)
        code = item.inputs.code.strip()
        assert code in prompt
        # An error that is a line of its own leaves the clean program whole inside the code.
        assert item.meta.canonical_code.strip() not in prompt.replace(code, "")
        assert str(item.meta.id) not in prompt
        assert item.inputs.feedback.strip() in prompt


# Building from programs


LAMBDA = "double = lambda x: 2*x\ndef name_of(x):\n    return double.__name__"
TEST = "from {0} import {0}\n\n\ndef test_1():\n    assert {0}({1}) == {2}\n"


def program(source: str, code: str, arguments: str, expected: str) -> Candidate:
    function = re.findall(r"def (\w+)", code)[-1]
    tests = TEST.format(function, arguments, expected)
    return Candidate(source, code, function=function, tests=tests)


def test_what_gives_no_item_is_dropped_with_its_reason() -> None:
    data_set = made_of(
        [
            program("good", "def add(a,b): \n  return a+b", "1, 2", "3"),
            program("again", "def add(a,b): \n  return a+b", "1, 2", "3"),
            program("fine", "def one():\n    return 1\n", "", "1"),
            program("wrong", "def add(a, b):\n  return a - b\n", "1, 2", "3"),
            program("renamed", LAMBDA, "1", "'<lambda>'"),
            program("stuck", "def use(l):\n  return l\n", "1", "1"),
            program("old", "def show():\n    print 'x'\n", "", "None"),
            program("long", "x = 1\n" * 11_000 + "def f(): return 1", "", "1"),
            Candidate("untested", "import os\n"),
        ]
    )
    assert [tests.source for tests in data_set.tests] == ["good", "untested"]
    assert [(drop.source, drop.reason) for drop in data_set.dropped] == [
        ("again", "duplicate"),
        ("fine", "clean"),
        ("old", "unparseable"),
        ("long", "too_long"),
        ("stuck", "not_silent"),
        ("wrong", "original_fails"),
        ("renamed", "canonical_fails"),
    ]
    details = {drop.source: drop.detail for drop in data_set.dropped}
    assert details["stuck"] == "E741: ambiguous variable name 'l' in 1 line"
    assert details["wrong"] == "test 1: FAIL returned -1"
    assert details["again"] == "the code of good"
    assert data_set.statistics.dropped["canonical_fails"] == 1
    good, untested = data_set.items
    assert good.inputs.feedback.startswith("E231: missing whitespace after ',' in 1 line\n")
    assert good.meta.canonical_code == "def add(a, b):\n    return a + b\n"
    assert untested.meta.canonical_code == ""
    assert (data_set.tests[1].function, data_set.tests[1].tests) == (None, None)


def test_a_program_that_gives_no_item_alone_is_an_error() -> None:
    with pytest.raises(CoralError, match="no program gives an item"):
        made_of([Candidate("fine", "x = 1\n")])


def test_an_item_keeps_its_id_whatever_is_built_beside_it() -> None:
    candidates = [Candidate(f"{number}", f"import os, sys\nx={number}\n") for number in range(23)]
    forward, backward = made_of(candidates), made_of(candidates[:4:-1], "ru")
    ids = {item.inputs.code: item.meta.id for item in forward.items}
    assert len(set(ids.values())) == 23
    assert all(ids[item.inputs.code] == item.meta.id for item in backward.items)
    assert sorted(count.items for count in forward.statistics.prompts) == [2] * 7 + [3] * 3


# MBPP

ROW = {
    "text": "Write a function to add.",
    "code": "def add(a,b): \r\n\treturn a + b",
    "task_id": 601,
    "test_setup_code": "limit = 3\r\nitems = (limit, 4)",
    "test_list": [
        "assert add(1, 2) == limit",
        'assert add("""a\n""", "b") == "a\\nb"',
        "assert add((1,), items) == (1, 3, 4)",
    ],
    "challenge_test_list": [],
}


def mbpp(folder: Path, *changes: dict[str, Any]) -> Path:
    file = folder / "mbpp.jsonl"
    rows = [{**ROW, **change} for change in changes]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_a_row_of_mbpp_becomes_an_item_with_its_asserts_as_tests(tmp_path: Path) -> None:
    candidates, dropped = read_mbpp(mbpp(tmp_path, {}))
    assert dropped == []
    assert candidates[0].code == "def add(a,b): \n\treturn a + b"
    (item,), (tests,) = (data_set := made_of(candidates)).items, data_set.tests
    assert (tests.source, tests.function, tests.cases) == ("mbpp 601", "add", ())
    assert tests.tests is not None and tests.tests.count("def test_") == 3
    assert item.meta.canonical_code == "def add(a, b):\n    return a + b\n"
    wrong = Program("x", "add", "def add(a, b):\n    return b\n", (), tests.tests, {})
    assert [verdict.kind for verdict in in_jail([wrong])[0]] == ["FAIL", "FAIL", "FAIL"]


def test_rows_of_mbpp_that_the_jail_cannot_test_are_dropped(tmp_path: Path) -> None:
    pair = "class Pair:\n    pass\n\n\ndef first(p): return p.a\n"
    file = mbpp(
        tmp_path,
        {"task_id": 1, "code": pair, "test_list": ["assert first(Pair()) == 1"]},
        {"task_id": 2, "code": "print 'x'"},
        {"task_id": 3, "test_list": ["assert ("]},
        {"task_id": 4, "test_list": ["assert 1 == 1"]},
    )
    candidates, dropped = read_mbpp(file)
    assert candidates == []
    assert [(drop.source, drop.reason) for drop in dropped] == [
        ("mbpp 1", "untestable"),
        ("mbpp 2", "unparseable"),
        ("mbpp 3", "untestable"),
        ("mbpp 4", "untestable"),
    ]
    assert "Pair, first" in dropped[0].detail


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"code": 1}, ["line 2, code", "1", "string"]),
        ({"code": "x\0"}, ["line 2, code, character 2", "null byte"]),
        ({"code": "x" * 2**20}, ["line 2, code", "1048576 bytes", "65536"]),
        ({"code": "\ud800"}, ["line 2", "utf-8", "surrogates"]),
        ({"test_list": "assert x"}, ["line 2, test_list", "array"]),
        ({"test_list": []}, ["line 2, test_list"]),
        ({"task_id": 601}, ["line 2, task_id", "601", "line 1"]),
        ({"more": 1}, ["line 2", "more"]),
    ],
)
def test_a_bad_row_of_mbpp_is_named_with_file_line_and_field(
    tmp_path: Path, change: dict[str, Any], words: list[str]
) -> None:
    file = mbpp(tmp_path, {}, {"task_id": 602, **change})
    with pytest.raises(CoralError) as caught:
        read_mbpp(file)
    for word in [str(file), *words]:
        assert word in str(caught.value)


# A folder of Python files


def test_a_folder_is_read_at_any_depth_and_bad_files_are_dropped(tmp_path: Path) -> None:
    (tmp_path / "deep/er").mkdir(parents=True)
    (tmp_path / ".venv").mkdir()
    (tmp_path / "deep/er/b.py").write_bytes(b"\xef\xbb\xbfimport os\r\nx=1\r\n")
    (tmp_path / "a.py").write_text("import sys\n")
    (tmp_path / "empty.py").write_text("\n")
    (tmp_path / "latin.py").write_bytes(b"x = '\xe4'\n")
    (tmp_path / "null.py").write_bytes(b"x = 1\0\n")
    (tmp_path / "big.py").write_text("x = 1\n" * 200_000)
    (tmp_path / "old.py").write_text("print 'x'\n")
    (tmp_path / ".venv/c.py").write_text("import json\n")
    (tmp_path / "notes.txt").write_text("none")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    candidates, dropped = read_folder(tmp_path)
    assert [(c.source, c.code) for c in candidates] == [
        ("a.py", "import sys\n"),
        ("deep/er/b.py", "import os\nx=1\n"),
        ("old.py", "print 'x'\n"),
    ]
    assert [(drop.source, drop.reason) for drop in dropped] == [
        ("big.py", "too_long"),
        ("latin.py", "unparseable"),
        ("null.py", "unparseable"),
    ]
    data_set = build(candidates, PROMPTS["en"], in_jail, 1, dropped)
    assert data_set.statistics.dropped == {"too_long": 1, "unparseable": 3}
    assert data_set.dropped[-1].source == "old.py"


@pytest.mark.parametrize("target", ["../outside", "/etc", "nowhere"])
def test_a_link_out_of_the_folder_is_an_error(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "inside/deep").mkdir(parents=True)
    (tmp_path / "inside/a.py").write_text("import os\n")
    (tmp_path / "inside/deep/link").symlink_to(f"../{target}" if target[0] == "." else target)
    with pytest.raises(CoralError, match="a link leads") as caught:
        read_folder(tmp_path / "inside")
    assert "inside/deep/link" in str(caught.value)


def test_an_empty_or_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CoralError, match="no Python file"):
        read_folder(tmp_path)
    with pytest.raises(CoralError, match=r"linteval\.path"):
        read_folder(tmp_path / "missing")
    with pytest.raises(CoralError, match="no snippets"):
        read_snippets(tmp_path)


# Official data

RECORD = {
    "instruction": "Fix {code}: {feedback}",
    "inputs": {"code": "x=1\n", "feedback": "any text, as published\n"},
    "outputs": [1, 0],
    "meta": {"id": 5, "canonical_code": "x = 1\n", "category": "style"},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the record with one field set, or taken away for the value `...`."""
    record = json.loads(json.dumps(RECORD))
    *parents, last = path.split(".")
    place = functools.reduce(lambda content, key: content[key], parents, record)
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return record


@pytest.mark.parametrize(
    "write",
    [
        lambda rows: "\n".join(json.dumps(row, ensure_ascii=False) for row in rows),
        lambda rows: json.dumps(rows, indent=4),
        lambda rows: json.dumps({"access": "private", "data": rows}),
        lambda rows: json.dumps({"data": rows}, indent=1),
    ],
    ids=["lines", "array", "object", "indented object"],
)
def test_official_data_is_read_as_it_is_in_all_its_forms(
    tmp_path: Path, write: Callable[[Any], str]
) -> None:
    file = tmp_path / "test.json"
    file.write_text(write([RECORD, changed("meta.id", 9)]))
    first, second = read_codelintereval(file)
    assert first.inputs == Inputs("x=1\n", "any text, as published\n")
    assert (first.instruction, first.outputs, first.meta.id) == (
        "Fix {code}: {feedback}",
        (1, 0),
        5,
    )
    assert second.meta.id == 9


@pytest.mark.parametrize(
    ("record", "words"),
    [
        *[
            (changed(path, ...), ["line 2", path.split(".")[-1], "missing"])
            for path in (
                *("instruction", "inputs", "inputs.code", "inputs.feedback"),
                *("outputs", "meta", "meta.id", "meta.canonical_code"),
            )
        ],
        (changed("instruction", "no code, {feedback}"), ["line 2, instruction", "code"]),
        (changed("instruction", "{code} alone"), ["line 2, instruction", "feedback"]),
        (changed("meta.id", 7), ["line 2, meta.id", "7", "line 1"]),
        (changed("meta.id", "5"), ["line 2, meta.id", "'5'", "integer"]),
        (changed("meta.id", 5.0), ["line 2, meta.id", "5.0", "integer"]),
        (changed("meta.id", True), ["line 2, meta.id", "integer"]),
        (changed("outputs", [2]), ["line 2, outputs.0", "at most 1"]),
        (changed("inputs.code", None), ["line 2, inputs.code", "string"]),
        (changed("inputs.code", "x\0"), ["line 2, inputs.code, character 2", "null byte"]),
        (changed("inputs.code", "x" * 2**20), ["line 2, inputs.code", "1048576 bytes"]),
        (changed("inputs.extra", 1), ["line 2, inputs", "extra"]),
        ([RECORD], ["line 2", "object"]),
        (None, ["line 2", "object"]),
    ],
)
def test_a_bad_record_is_named_with_file_line_and_field(
    tmp_path: Path, record: Any, words: list[str]
) -> None:
    file = tmp_path / "test.jsonl"
    file.write_text(json.dumps(changed("meta.id", 7)) + "\n" + json.dumps(record) + "\n")
    with pytest.raises(CoralError) as caught:
        read_codelintereval(file)
    for word in [str(file), *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["empty"]),
        (b"\n \n", ["empty"]),
        (b"[]", ["no records"]),
        (b'{"data": {}}', ["no records"]),
        (b"[" * 100_000, ["not valid JSON"]),
        (b"{", ["not valid JSON"]),
        (b"\xff\xfe", ["cannot be read", "utf-8"]),
        (b'{"instruction": NaN}', ["line 1", "NaN"]),
    ],
)
def test_a_file_that_is_no_data_set_is_an_error(
    tmp_path: Path, content: bytes, words: list[str]
) -> None:
    file = tmp_path / "test.json"
    file.write_bytes(content)
    for read in (read_codelintereval, read_mbpp):
        with pytest.raises(CoralError) as caught:
            read(file)
        assert str(file) in str(caught.value)
        if read is read_codelintereval:
            assert all(word in str(caught.value) for word in words)
    with pytest.raises(CoralError):
        read_codelintereval(tmp_path / "missing.json")


# The stage


def choose(source: str, path: Path) -> None:
    file = Path("params.yaml")
    text = file.read_text().replace("source: snippets", f"source: {source}")
    file.write_text(text.replace("path: lake/raw/snippets", f"path: {path}"))


def test_the_stage_writes_the_same_bytes_twice(workspace: Path) -> None:
    choose(
        "mbpp",
        mbpp(workspace, {}, {"task_id": 2}, {"task_id": 3, "code": "def add(a, b): return b"}),
    )
    written = []
    for _ in range(2):
        linteval_items()
        tables = ("items", "tests", "dropped", "statistics")
        written.append([lake.path(f"linteval_{table}").read_bytes() for table in tables])
    assert written[0] == written[1]
    assert [drop.reason for drop in lake.read_rows("linteval_dropped", Dropped)] == [
        "duplicate",
        "original_fails",
    ]


def test_the_stage_adopts_official_data(workspace: Path) -> None:
    file = workspace / "test.json"
    file.write_text(json.dumps({"data": [RECORD]}))
    choose("official", file)
    linteval_items()
    (item,) = lake.read_rows("linteval_items", Item)
    assert (item.meta.id, item.outputs) == (5, (1, 0))
    assert lake.read_rows("linteval_tests", ItemTests) == [
        ItemTests(5, "test.json", None, (), None)
    ]
    statistics = lake.read_document("linteval_statistics", ItemStatistics)
    assert (statistics.kept, statistics.dropped) == (1, {})


def test_a_bad_source_writes_nothing(workspace: Path) -> None:
    choose("folder", workspace / "missing")
    with pytest.raises(CoralError):
        linteval_items()
    assert not lake.ROOT.exists()
