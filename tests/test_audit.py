"""`coral audit` reports any change in a finished run: a value, or a measured file."""

import json
import shutil
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import Result
from typer.testing import CliRunner

from coral_batch import lake
from coral_batch.audit.hashes import LOCK
from coral_batch.audit.recorded import Mismatch, Recorded
from coral_batch.audit.steps import run_steps, steps
from coral_batch.commands import cli
from coral_batch.lake import params
from coral_batch.lake.stage import write
from tests import REPOSITORY

PART = "001"
SHOWN = {"card", "page", "index"}
"""Tables that no step names: the card lies in the folder of the base, and pages show tables."""


@pytest.fixture
def here(lake_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the finished run, as the working directory."""
    monkeypatch.chdir(shutil.copytree(lake_once, tmp_path / "finished"))
    return tmp_path / "finished"


def audit(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["audit", *arguments])


def audit_of(table: str) -> list[Mismatch]:
    """Audit the tables of the stages that write a table, in every part."""
    settings = params.load()
    listed = [step for step in steps(settings, None) if table in {name for name, _ in step.places}]
    return run_steps(settings, listed)[0]


def lines(done: Result) -> dict[str, str]:
    """Return table -> result of the audit."""
    told = [line for line in done.stdout.splitlines() if line.startswith("lake/")]
    return dict(line.split(": ", 1) for line in told if ": " in line)


def read(table: str, part: str | None = None) -> Any:
    """Return a table as JSON: a list of rows, or a document; or its arrays."""
    content = Recorded().table(table, part)
    return content.to_dicts() if isinstance(content, pl.DataFrame) else content


def test_a_finished_run_is_correct(here: Path) -> None:
    done = audit()
    assert done.exit_code == 0, done.output
    told = lines(done)
    (model,) = set(lake.lint_models()) - set(lake.LINT_MODELS)
    by_hand = {file for file in told if f"linteval/{model}/" in file}
    assert len(by_hand) == 6
    assert {told[file].partition(":")[0] for file in by_hand} == {"not checked"}
    assert {words for file, words in told.items() if file not in by_hand} == {"correct"}
    places = [place for step in steps(params.load(), None) for place in step.places]
    assert len(told) == len(places)


@pytest.mark.parametrize(
    ("table", "part", "place", "value"),
    [
        ("source_roles", "classics", (3, "role"), "training"),
        ("manifest", None, (2, "reason"), "another"),
        ("overlaps", None, (1, "similarity"), 0.125),
        ("examples", None, (4, "answer"), "another"),
        ("population", "000", (1, "density"), 0.125),
        ("inherited", "001", (0, "tokens"), 7),
        ("automata", PART, ("packed", 2, 3, 4, 1), 85),
        ("automata", PART, ("genomes", 1), "001-77"),
        ("features", "000", (2, "complexity"), 0.125),
        ("subjects", "validation/base", (0, "key"), "0" * 64),
        ("scores", "000", (5, "bugfix"), 0.125),
        ("selection", "001", (1, "fitness"), 0.125),
        ("best", None, ("configuration", "r"), 1),
        ("evidence", None, ("budget", "samples"), 1),
        ("metrics", None, ("base", "fitness"), 1),
        ("linteval_metrics", None, ("base", "items"), 1),
        ("times", None, (0, "training_seconds"), 0.125),
    ],
)
def test_a_changed_value_of_a_computed_table_is_reported(
    here: Path, table: str, part: str | None, place: tuple[Any, ...], value: object
) -> None:
    content = read(table, part)
    *above, last = place
    around = reduce(getitem, above, content)
    was, around[last] = around[last], value
    write(table, content, part)
    (mismatch,) = audit_of(table)
    assert mismatch.file == lake.path(table, part)
    row = ""
    if isinstance(content, list):
        row, place = f"row {place[0] + 1} (", place[1:]
    assert (mismatch.row or "").startswith(row)
    column = ".".join(map(str, place))
    assert (mismatch.column, mismatch.found, mismatch.expected) == (column, value, was)


def test_wrong_values_of_any_part_are_reported_once(here: Path) -> None:
    """What comes out of the run is compared with what a generation should be."""
    scores = read("scores", "000")
    scores[5]["bugfix"] = 0.125
    write("scores", scores, "000")
    file = lake.path("samples", PART)
    file.write_bytes(file.read_bytes() + b"\n")
    done = audit()
    assert done.exit_code == 1
    key = ", ".join(str(scores[5][name]) for name in ("genome", "problem", "sample"))
    named = f"{lake.path('scores', '000')}, row 6 ({key}), bugfix\n"
    assert done.stdout.startswith(named + "  found:    0.125\n  expected: 0.25\n  from:     ")
    assert f"\n{file}, MD5\n" in done.output
    assert "error: 2 wrong" in done.output
    told = lines(done)
    assert told.pop(str(lake.path("scores", "000"))) == told.pop(str(file)) == "1 wrong"
    left = {name for name, words in told.items() if words.startswith("not checked: one of")}
    assert str(lake.path("scores", PART)) in left
    assert str(lake.path("selection", "000")) not in left


def test_a_row_missing_twice_or_elsewhere_is_named(here: Path) -> None:
    file = lake.path("population", PART)
    first, second, *rest = file.read_text().splitlines(keepends=True)
    for rows in ([first, *rest], [first, second, second, *rest], [second, first, *rest], []):
        file.write_text("".join(rows))
        assert file in {mismatch.file for mismatch in audit_of("population")}, len(rows)


def test_a_changed_byte_of_a_measured_file_is_reported(here: Path) -> None:
    steps_ = [step for step in steps(params.load(), None) if not step.again]
    places = dict(place for step in reversed(steps_) for place in step.places)
    for table in places.keys() - {"base", "adapter_folders"}:
        file = lake.path(table, places[table])
        was = file.read_bytes()
        content = bytearray(was)
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
        (mismatch,) = audit_of(table)
        assert (mismatch.file, mismatch.column, mismatch.source) == (file, "MD5", str(LOCK))
        file.write_bytes(was)


def test_every_table_of_the_lake_is_audited() -> None:
    listed = steps(params.load(REPOSITORY / "params.yaml"), None)
    places = {place for step in listed for place in step.places}
    assert set(lake.PLACES) - SHOWN == {table for table, _ in places}
    assert {("subjects", part) for part in lake.PARTS} < places


@pytest.mark.parametrize(
    ("file", "table", "named"),
    [
        ("lake/generations/001/adapters/*/adapter_model.safetensors", "adapter_folders", None),
        ("lake/base/model.safetensors", "base", None),
        ("lake/base/card.json", "base", {"lake/base"}),
        ("lake/report/plots/fitness.csv", "plots", None),
        (
            "lake/raw/classics/python_programs/gcd.py",
            "problems",
            {"lake/corpus/classics.jsonl", "lake/corpus/roles/classics.jsonl"},
        ),
    ],
)
def test_a_changed_file_or_what_is_read_from_it_is_named(
    here: Path, file: str, table: str, named: set[str] | None
) -> None:
    found = sorted(here.glob(file))[0]
    found.write_bytes(found.read_bytes().replace(b"return ", b"return  ")[:-1] + b" ")
    expected = named or {str(found.relative_to(here))}
    assert {str(mismatch.file) for mismatch in audit_of(table)} == expected


def test_an_extra_folder_is_reported(here: Path) -> None:
    folder = lake.path("adapter_folders", PART)
    (folder / "more").touch()
    assert [mismatch.file for mismatch in audit_of("adapter_folders")] == [folder]


@pytest.mark.parametrize("table", ["samples", "scores", "adapter_folders"])
def test_a_missing_file_is_reported_and_tables_computed_from_it_are_not_checked(
    here: Path, table: str
) -> None:
    file = lake.path(table, PART)
    file.rename(here / "elsewhere")
    done = audit(PART)
    assert done.exit_code == 1
    assert done.stdout.startswith(str(file))
    told = lines(done)
    assert "wrong" in told.pop(str(file))
    left = {name for name, words in told.items() if words.startswith("not checked: one of")}
    rests = {"samples": "scores", "scores": "selection"}
    assert (str(lake.path(rests.get(table, "features"), PART)) in left) == (table in rests)


def test_a_file_without_a_hash_in_dvc_lock_is_reported(here: Path) -> None:
    content = json.loads(LOCK.read_text())
    file = str(lake.path("samples", "000"))
    outs = content["stages"]["all"]["outs"]
    content["stages"]["all"]["outs"] = [out for out in outs if out["path"] != file]
    LOCK.write_text(json.dumps(content))
    done = audit("000")
    assert done.exit_code == 1
    assert f"{file}\n  dvc.lock has no hash of it" in done.output
    LOCK.unlink()
    assert f"{file}: wrong: dvc.lock has no hash of it" in audit("000").output
    LOCK.write_text("{")
    assert "dvc.lock cannot be read" in str(audit("000").exception)


def test_roles_are_checked_by_hash_if_the_source_is_gone(here: Path) -> None:
    (here / "lake/raw/classics").rename(here / "lake/raw/gone")
    assert audit_of("problems") == []
    file = lake.path("source_roles", "classics")
    file.write_text(file.read_text().replace('"held_out"', '"training"', 1))
    (mismatch,) = audit_of("problems")
    assert (mismatch.file, mismatch.column) == (file, "MD5")


def test_the_answers_of_a_model_are_audited_with_the_lake_and_alone(here: Path) -> None:
    assert audit("linteval/base").exit_code == 0
    (model,) = set(lake.lint_models()) - set(lake.LINT_MODELS)
    lake.path("linteval_scores", model).write_bytes(b"{")
    done = audit(f"linteval/{model}")
    assert done.exit_code == 1
    assert f"{lake.path('linteval_scores', model)}: wrong: it cannot be read" in done.output
    assert audit("linteval/none").exit_code == 2


def test_one_repair_can_be_run_again(here: Path) -> None:
    row = read("verdicts", PART)[-1]
    name = f"{PART}/{row['genome']}/{row['problem']}/{row['sample']}"
    done = audit("--rerun", name)
    assert done.exit_code == 0, done.output
    words = name.split("/")
    for index, what in enumerate(("PART", "GENOME", "PROBLEM", "SAMPLE")):
        wrong = "/".join([*words[:index], "99", *words[index + 1 :]])
        missing = str(audit("--rerun", wrong).exception)
        assert f"no such repair\n  field:    --rerun, {what}\n  found:    '99'" in missing
        assert words[index] in missing.partition("expected: one of ")[2]
    short = audit("--rerun", "/".join(words[:2]))
    assert "expected: PART/GENOME/PROBLEM/SAMPLE" in str(short.exception)


def test_a_verdict_that_differs_is_reported_by_case(here: Path) -> None:
    *others, row = read("verdicts", PART)
    name = f"{PART}/{row['genome']}/{row['problem']}/{row['sample']}"
    for rows, named in (([*others, {**row, "kind": "CRASH"}], ".kind"), (others, "")):
        write("verdicts", rows, PART)
        done = audit("--rerun", name)
        assert done.exit_code == 1
        assert f"{lake.path('verdicts', PART)}, {name}, case {row['case']}{named}\n" in done.output
        assert f"case {row['case']}: {row['kind']}, differs from the table" in done.output
