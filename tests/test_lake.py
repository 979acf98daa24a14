"""The lake: what is written is read back, and what breaks a schema never gets in or out."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.lake.schemas import FOLDER, read
from coral_batch.lake.stage import run, write
from coral_batch.records.finding import Finding
from coral_batch.records.rows import SampleRow
from coral_batch.records.settings import Params
from coral_batch.search.automata.features import FEATURES
from tests.errors import refused
from tests.rights import bound_by_modes
from tests.rows import SAMPLE
from tests.settings import set_params

pytestmark = pytest.mark.usefixtures("workspace")
ARRAYS = {
    "genomes": np.array(["000-00", "000-01"]),
    "packed": np.arange(24, dtype=np.uint8).reshape(2, 3, 4, 1),
    "width": np.array(8),
}
FINDING = {
    **{"genome": "000-01", "problem": "gcd", "sample": 0},
    **asdict(Finding("flake8", "E225", "missing whitespace around operator", 1, 2)),
}


def test_rows_come_back_as_written() -> None:
    rows = [SAMPLE, replace(SAMPLE, sample=1, raw="\u2028 \x85 \x0c ü \U0001f600")]
    lake.write_rows("samples", rows, "000")
    assert lake.read_rows("samples", SampleRow, "000") == rows
    assert lake.path("samples", "000") == Path("lake/generations/000/samples.jsonl")
    assert lake.path("samples", lake.VALIDATION_BASE) == Path("lake/validation/base/samples.jsonl")


@pytest.mark.parametrize("table", ["scores", "verdicts", "features", "examples", "samples"])
def test_a_table_that_has_rows_in_every_run_is_refused_without(table: str) -> None:
    with pytest.raises(CoralError, match=rf"{table}\.(parquet|jsonl)[\s\S]*at least one"):
        write(table, [], "000")
    assert not lake.path(table, "000").exists()


def test_a_table_that_may_not_be_read_is_told() -> None:
    file = lake.path("samples", "000")
    file.parent.mkdir(parents=True)
    file.parent.chmod(0)
    with refused(file, "Permission denied"), bound_by_modes():
        lake.read_rows("samples", dict, "000")


def test_a_frame_comes_back_as_written() -> None:
    frame = lake.frame("findings", [FINDING, {**FINDING, "tool": "bandit", "severity": "LOW"}])
    lake.write_frame("findings", frame, "000")
    assert lake.read_frame("findings", "000").equals(frame)
    first = lake.path("findings", "000").read_bytes()
    lake.write_frame("findings", frame, "000")
    assert lake.path("findings", "000").read_bytes() == first


def test_a_folder_named_like_a_pattern_has_its_own_tables() -> None:
    names = ("run1", "run[1]", "run*")
    for number, name in enumerate(names):
        with lake.at(Path(name)):
            frame = lake.frame("findings", [{**FINDING, "sample": number}])
            lake.write_frame("findings", frame, "000")
    for number, name in enumerate(names):
        with lake.at(Path(name)):
            assert lake.read_frame("findings", "000")["sample"].to_list() == [number]


def test_arrays_come_back_as_written() -> None:
    lake.write_arrays("automata", ARRAYS, "000")
    np.testing.assert_equal(lake.read_arrays("automata", "000"), ARRAYS)


@pytest.mark.parametrize(
    "arrays",
    [
        {"genomes": ARRAYS["genomes"], "packed": ARRAYS["packed"]},
        {**ARRAYS, "more": np.zeros(1)},
        {**ARRAYS, "packed": ARRAYS["packed"].astype(float)},
        {**ARRAYS, "packed": ARRAYS["packed"][0]},
        {**ARRAYS, "width": np.array([8])},
        {**ARRAYS, "genomes": np.array([{"pickled": "value"}], dtype=object)},
    ],
)
def test_arrays_of_another_name_type_or_shape_are_refused(arrays: dict[str, np.ndarray]) -> None:
    with pytest.raises(CoralError, match=r"automata\.npz"):
        lake.write_arrays("automata", arrays, "000")
    file = lake.path("automata", "000")
    file.parent.mkdir(parents=True)
    np.savez(file, **arrays)
    with pytest.raises(CoralError, match=r"automata\.npz"):
        lake.read_arrays("automata", "000")


def test_a_row_that_is_there_twice_is_refused() -> None:
    twice = r"row 2(?s:.*)genome 000-01, problem gcd, sample 0(?s:.*)unique"
    with pytest.raises(CoralError, match=twice):
        lake.write_rows("samples", [SAMPLE, replace(SAMPLE, raw="other")], "000")
    lake.write_rows("samples", [SAMPLE], "000")
    file = lake.path("samples", "000")
    file.write_text(2 * file.read_text())
    with pytest.raises(CoralError, match=twice):
        lake.read_rows("samples", SampleRow, "000")
    row = {"genome": "000-01", **dict.fromkeys(FEATURES, 0.5)}
    with refused("row 2", "genome 000-01", "unique"):
        lake.write_frame("features", lake.frame("features", [row, row]), "000")


def test_a_row_that_breaks_the_schema_is_not_written() -> None:
    lake.write_rows("samples", [SAMPLE], "000")
    before = lake.path("samples", "000").read_bytes()
    with pytest.raises(CoralError, match="row 2, finish"):
        lake.write_rows("samples", [SAMPLE, replace(SAMPLE, finish="bored")], "000")
    assert lake.path("samples", "000").read_bytes() == before
    assert list(lake.path("samples", "000").parent.iterdir()) == [lake.path("samples", "000")]


def _edit_field(name: str, value: object) -> Callable[[str], str]:
    return lambda line: json.dumps({**json.loads(line), name: value})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_edit_field("finish", "bored"), ["row 1, finish", "'bored'", "fence"]),
        (_edit_field("sample", True), ["row 1, sample", "True", "integer"]),
        (_edit_field("sample", 10**30), ["row 1, sample", str(10**30), "at most"]),
        (_edit_field("extra", 1), ["row 1", "extra"]),
        (_edit_field("genome", "../../etc"), ["row 1, genome", "../../etc"]),
        (lambda line: line[:20], ["line 1", "JSON"]),
        (lambda line: line.replace('"sample": 0', '"sample": NaN'), ["line 1", "NaN"]),
        (lambda line: line.replace(": 0,", f": 1{'0' * 250}e60,"), ["line 1", "Out of range"]),
        (
            lambda line: line.replace('"sample": 0', '"sample": 0, "sample": 1'),
            ["line 1", "duplicate"],
        ),
        (lambda line: line.replace('"sample": 0, ', ""), ["row 1", "missing sample"]),
        (lambda line: "[" * 100_000, ["line 1"]),
        (lambda line: line.replace('"sample": 0', '"sample": "\\ud800"'), ["line 1", "surrogates"]),
    ],
)
def test_a_table_edited_by_hand_is_refused(change: Callable[[str], str], words: list[str]) -> None:
    lake.write_rows("samples", [SAMPLE], "000")
    file = lake.path("samples", "000")
    file.write_text(change(file.read_text().rstrip("\n")) + "\n")
    with refused(file, *words):
        lake.read_rows("samples", SampleRow, "000")


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pl.lit("E 225\x00").alias("tool"), ["row 1, tool", "flake8"]),
        (pl.lit(-1).cast(pl.Int64).alias("line"), ["row 1, line", "-1", "at least 0"]),
        (pl.lit(None).cast(pl.String).alias("code"), ["row 1, code", "string"]),
        (pl.lit(1.5).alias("line"), ["columns", "Float64", "Int64"]),
        (pl.lit(1).alias("more"), ["columns", "more"]),
    ],
)
def test_a_frame_edited_by_hand_is_refused(column: pl.Expr, words: list[str]) -> None:
    file = lake.path("findings", "000")
    file.parent.mkdir(parents=True)
    lake.frame("findings", [FINDING]).with_columns(column).write_parquet(file)
    with refused(file, *words):
        lake.read_frame("findings", "000")


def test_a_stages_journal_goes_when_its_tables_are_written() -> None:
    journal = lake.journal("verdicts", "000")
    journal.parent.mkdir(parents=True)
    journal.write_text("verdicts")

    def make(*_: object, samples: list[SampleRow]) -> dict[str, list[SampleRow]]:
        return {"samples": samples}

    with pytest.raises(CoralError):
        run(partial(make, samples=[SAMPLE, SAMPLE]), "000", journal)
    assert journal.read_text() == "verdicts"
    run(partial(make, samples=[SAMPLE]), "000", journal)
    assert not journal.exists()
    journal.mkdir()
    with pytest.raises(CoralError, match=rf"cannot be written[\s\S]*{journal}"):
        run(partial(make, samples=[SAMPLE]), "000", journal)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)
def test_every_field_of_every_schema_is_described(file: Path) -> None:
    def check(schema: dict, where: str) -> None:
        assert schema.get("description"), f"{file.name}: {where} has no description"
        for name, field in schema.get("properties", {}).items():
            check(field, f"{where}.{name}")
        if isinstance(schema.get("items"), dict):
            check(schema["items"], f"{where}[]")
        if "properties" in schema:
            assert schema["additionalProperties"] is False
            assert set(schema["required"]) == set(schema["properties"])

    check(read(file.name.partition(".")[0]), file.stem)


def test_a_stage_during_which_the_parameters_change_is_not_done(workspace: Path) -> None:
    """DVC would record its tables as those of the new parameters."""

    def make(_: object, settings: Params, *__: object) -> dict[str, list[SampleRow]]:
        set_params({"seed": settings.seed + 1})
        return {"samples": [SAMPLE]}

    with refused("params.yaml changed while the stage ran"):
        run(make, "000")
    assert not lake.path("samples", "000").exists()
