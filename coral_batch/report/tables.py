"""The tables that a run ends with: what was achieved, and where the time went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import polars as pl

from coral_batch.records.rows import REFERENCE, DurationRow, SampleRow, TimeRow
from coral_batch.records.settings import OBJECTIVES, Scores
from coral_batch.report.metrics import Best, Metrics, Summary
from coral_batch.search.best import REFUSED
from coral_batch.work.text import table


@dataclass(frozen=True)
class Timed:
    """The tables of one generation or of the baseline that say where its time went.

    Attributes:
        part: the generation, or the baseline.
        adapters: a row an adapter; empty for the baseline.
        samples: a row a unit of decoding.
        cases: as in case_times.schema.json.
        repairs: the repairs that ran; those with the same code ran once.
    """

    part: str
    adapters: Sequence[DurationRow]
    samples: Sequence[DurationRow]
    cases: pl.DataFrame
    repairs: Sequence[SampleRow]


def results(metrics: Metrics) -> str:
    """Return the run's table, at most 100 columns wide, and what evolution added, in words."""
    header = ("", "best", "mean", *OBJECTIVES, "pass@1", "solved", "gate", "adapters")
    rows: list[Sequence[str]] = [
        (
            name,
            _number(row.best_fitness),
            _number(row.mean_fitness),
            *_numbers(row.objectives),
            _number(row.pass_at_1),
            f"{row.problems_solved}/{metrics.problems}",
            f"{row.gate_passed}/{row.genomes}",
            f"{row.new_adapters} new",
        )
        for name, row in metrics.generations.items()
    ]
    rows += [
        (),
        *(_model_row(name, floor, metrics.problems) for name, floor in metrics.floors.items()),
        _model_row("baseline", metrics.baseline, metrics.problems),
        _model_row(metrics.best.genome, metrics.best, metrics.problems),
    ]
    return "\n".join(
        (
            "Fitness and mean objectives by generation; the baseline; the best genome",
            "",
            table(header, rows, left={""}),
            "",
            _added(metrics),
            *([] if metrics.best.passed else [REFUSED]),
            f"These are selection scores: evolution selected on these {metrics.problems} problems,"
            " so they flatter it.",
            "solved: problems with a sample that passes all cases (a generation: of any genome).",
            "best: of those that passed the gate, where any did. empty, unchanged: what an empty"
            " answer",
            "and the buggy program as it was are worth.",
        )
    )


def times(measured: Sequence[TimeRow]) -> str:
    """Return the table of times, a row a part (the baseline, a generation) and their total."""
    header = ("", "trained", "reused", "s", "sampled", "reused", "s", "cases", "CPU s", "wall s")
    rows: list[Sequence[str]] = [_time_cells(row) for row in measured]
    rows += [(), _time_cells(total_times(measured))]
    return "Where the time went: adapters, samples, test cases\n\n" + table(header, rows, left={""})


def _model_row(name: str, model: Summary | Best, problems: int) -> Sequence[str]:
    return (
        name,
        _number(model.fitness),
        "",
        *_numbers(model.objectives),
        _number(model.pass_at_1),
        f"{model.problems_solved}/{problems}",
        "",
        "",
    )


def measure_times(part: Timed) -> TimeRow:
    """Sum up the times of a part; seconds are those of work that was not reused."""
    first: dict[tuple[str, str], SampleRow] = {}
    for row in part.repairs:
        first.setdefault((row.problem, row.code), row)
    ran = pl.DataFrame(
        [(row.genome, row.problem, row.sample) for row in first.values()],
        schema={name: part.cases.schema[name] for name in ("genome", "problem", "sample")},
        orient="row",
    )
    references = part.cases.filter(pl.col("genome") == REFERENCE)
    seconds = pl.concat([part.cases.join(ran, on=ran.columns, how="semi"), references])
    return TimeRow(
        part.part,
        *_units(part.adapters),
        *_units(part.samples),
        len(seconds),
        # Exact, so that it does not depend on the order.
        math.fsum(seconds["cpu_seconds"]),
        math.fsum(seconds["wall_seconds"]),
    )


def total_times(rows: Sequence[TimeRow]) -> TimeRow:
    """Return the sums of `rows`, as the part ``total``."""
    _, *columns = zip(*(astuple(row) for row in rows), strict=True)
    return TimeRow("total", *(sum(column) for column in columns))


def _units(rows: Sequence[DurationRow]) -> tuple[int, int, float]:
    done = [row for row in rows if not row.reused]
    return len(done), len(rows) - len(done), sum((row.seconds for row in done), 0.0)


def _time_cells(row: TimeRow) -> tuple[str, ...]:
    part, *values = astuple(row)
    return (part, *(f"{value:.1f}" if isinstance(value, float) else str(value) for value in values))


def _added(metrics: Metrics) -> str:
    best, base, gain = metrics.best, metrics.baseline, metrics.gain
    verb = "added" if gain.fitness > 0 else "added nothing:"
    return (
        f"Evolution {verb} {gain.fitness:+.3f} fitness: {best.genome} (generation"
        f" {best.generation}) has {best.fitness:.3f}, the base model {base.fitness:.3f};\n"
        f"pass@1 {best.pass_at_1:.3f} against {base.pass_at_1:.3f}, problems solved"
        f" {best.problems_solved} against {base.problems_solved} of {metrics.problems}."
    )


def _numbers(scores: Scores) -> tuple[str, ...]:
    return tuple(_number(value) for value in astuple(scores))


def _number(value: float) -> str:
    return f"{value:.3f}"
