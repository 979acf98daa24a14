"""The metrics of a run as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from coral_batch.records.settings import OBJECTIVES, Scores
from coral_batch.report.metrics import Best, Metrics, Summary
from coral_batch.search.best import REFUSED
from coral_batch.work.text import decimal, table


def outcome(metrics: Metrics) -> str:
    """Return the metrics as a table, at most 100 columns wide, and the gain in words."""
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
        _model_row("base", metrics.base, metrics.problems),
        _model_row(metrics.best.genome, metrics.best, metrics.problems),
    ]
    return "\n".join(
        (
            "Selection scores: generations (means of their genomes), base model, best genome",
            "",
            table(header, rows, left={""}),
            "",
            _gain(metrics),
            *([] if metrics.best.passed else [REFUSED]),
            f"Optimistic scores: evolution selected on these {metrics.problems} problems.",
            "solved: problems with a sample that passes all cases, of any genome.",
            "best: fittest genome that passed the gate, or of all if none did.",
            "empty, unchanged: scores of an empty answer and of the unchanged buggy program.",
        )
    )


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


def _gain(metrics: Metrics) -> str:
    best, base, gain = metrics.best, metrics.base, metrics.gain
    verb = "raised" if gain.fitness > 0 else "did not raise"
    added = decimal(gain.fitness, 3, signed=True)
    return (
        f"Evolution {verb} fitness ({added}): {best.genome} (generation"
        f" {best.generation}) {best.fitness:.3f}, base model {base.fitness:.3f};\n"
        f"pass@1 {100 * best.pass_at_1:.0f} % and {100 * base.pass_at_1:.0f} %, problems solved"
        f" {best.problems_solved} and {base.problems_solved} of {metrics.problems}."
    )


def _numbers(scores: Scores) -> tuple[str, ...]:
    return tuple(map(_number, astuple(scores)))


def _number(value: float) -> str:
    return decimal(value, 3)
