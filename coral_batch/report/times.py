"""The times of a run by part: training, decoding and test cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, replace
from textwrap import fill

import polars as pl

from coral_batch import lake
from coral_batch.lake.stage import Tables
from coral_batch.records.problem import program_of
from coral_batch.records.rows import REFERENCE, DurationRow, SampleRow, TimeRow
from coral_batch.records.settings import Params
from coral_batch.work.text import table

NOTES = (
    "Summed over adapters that train side by side, and over parallel processes of test cases. Work"
    " reused from the store counts as 0 s; equal repairs ran once.",
    "Decoded: genomes or the base model; in the row linteval, items. Not timed: all else, such as"
    " the base model's download, bug injection, linting, CodeLinterEval's scoring and the start of"
    " each stage.",
)


def run_times(tables: Tables, settings: Params) -> list[TimeRow]:
    """Return the times of each part of a run."""
    answers = [
        row
        for model in lake.LINT_MODELS
        for row in tables.read_rows("linteval_durations", DurationRow, model)
    ]
    return [
        _repairs(tables, lake.VALIDATION_BASE),
        *(_generation(tables, name) for name in settings.generations),
        total("evaluation", [_repairs(tables, part) for part in lake.EVALUATIONS.values()]),
        _row("linteval", samples=answers),
    ]


def total(part: str, rows: Sequence[TimeRow]) -> TimeRow:
    """Return the sum of `rows` under the name `part`."""
    _, *columns = zip(*(astuple(row) for row in rows), strict=True)
    return TimeRow(part, *(sum(column) for column in columns))


def times_text(measured: Sequence[TimeRow]) -> str:
    """Return the times as a table with their total."""
    header = (
        *("", "trained", "reused", "training s", "decoded", "reused", "decoding s"),
        *("cases", "CPU s", "wall s"),
    )
    rows: list[Sequence[str]] = [_time_cells(row) for row in measured]
    rows += [(), _time_cells(total("total", measured))]
    return "\n".join(
        (
            "Times: adapters trained, models decoded, test cases run",
            "",
            table(header, rows, left={""}),
            "",
            *(fill(note, 100) for note in NOTES),
        )
    )


def _time_cells(row: TimeRow) -> tuple[str, ...]:
    part, *values = astuple(row)
    return (part, *(f"{value:.1f}" if isinstance(value, float) else str(value) for value in values))


def _generation(tables: Tables, name: str) -> TimeRow:
    adapters = tables.read_rows("adapter_durations", DurationRow, name)
    return total(name, [_row(name, adapters=adapters), _repairs(tables, name)])


def _repairs(tables: Tables, part: str) -> TimeRow:
    """Return the times of decoding and running repairs; equal code ran once."""
    first: dict[tuple[str, str], SampleRow] = {}
    for row in tables.read_rows("samples", SampleRow, part):
        first.setdefault((program_of(row.problem), row.code), row)
    cases = tables.read_frame("case_times", part)
    ran = pl.DataFrame(
        [(row.genome, row.problem, row.sample) for row in first.values()],
        schema={name: cases.schema[name] for name in ("genome", "problem", "sample")},
        orient="row",
    )
    # Bugs of one program have one reference.
    program = pl.col("problem").str.split("-").list.first()
    references = cases.filter(pl.col("genome") == REFERENCE).unique(
        [program, pl.col("case")], keep="first", maintain_order=True
    )
    seconds = pl.concat([cases.join(ran, on=ran.columns, how="semi"), references])
    return replace(
        _row(part, samples=tables.read_rows("sample_durations", DurationRow, part)),
        cases=len(seconds),
        # Exact, so that it does not depend on the order.
        cpu_seconds=math.fsum(seconds["cpu_seconds"]),
        wall_seconds=math.fsum(seconds["wall_seconds"]),
    )


def _row(
    part: str, adapters: Sequence[DurationRow] = (), samples: Sequence[DurationRow] = ()
) -> TimeRow:
    return TimeRow(part, *_units(adapters), *_units(samples), 0, 0.0, 0.0)


def _units(rows: Sequence[DurationRow]) -> tuple[int, int, float]:
    done = [row for row in rows if not row.reused]
    return len(done), len(rows) - len(done), sum((row.seconds for row in done), 0.0)
