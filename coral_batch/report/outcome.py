"""The outcome of a run: a text, and the CSV files of DVC's plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

from coral_batch.records.settings import OBJECTIVES
from coral_batch.report.metrics import DECIMALS, Evaluated, GenerationMetrics, Metrics, Summary
from coral_batch.search.best import REFUSED
from coral_batch.work.text import decimal, table, to_csv


def outcome(metrics: Metrics) -> str:
    """Return the metrics as a table, at most 100 columns wide, and the gain in words."""
    header = ("", "best", "mean", *OBJECTIVES, "pass@1", "solved", "gate", "adapters")
    rows: list[Sequence[str]] = [
        (
            name,
            _number(row.best_fitness),
            _number(row.mean_fitness),
            *_scores(row, metrics.problems),
            f"{row.gate_passed}/{row.genomes}",
            f"{row.new_adapters} new",
        )
        for name, row in metrics.generations.items()
    ]
    models = {**metrics.floors, "base": metrics.base, metrics.best.genome: metrics.best}
    rows.append(())
    for name, model in models.items():
        scores = _scores(model, metrics.problems)
        rows.append((name, _number(model.fitness), "", *scores, "", ""))
    return "\n".join(
        (
            "Selection scores: generations (means of their genomes), base model, best genome",
            "",
            table(header, rows, left={""}),
            "",
            _gain(metrics),
            *([] if metrics.best.passed else [REFUSED]),
            "Optimistic scores if there are several genomes: selection used these problems.",
            "solved: problems with a sample that passes all cases, of any genome.",
            "best: fitness of the best genome, of those that passed the gate if any did.",
            "empty, unchanged: scores of an empty answer and of the unchanged buggy program.",
        )
    )


def _scores(model: GenerationMetrics | Summary, problems: int) -> list[str]:
    """Return the objectives, pass@1 and the problems solved."""
    numbers = map(_number, (*astuple(model.objectives), model.pass_at_1))
    return [*numbers, f"{model.problems_solved}/{problems}"]


def _gain(metrics: Metrics) -> str:
    best, base = metrics.best, metrics.base
    gain = decimal(best.fitness - base.fitness, 3, signed=True)
    return (
        f"Best genome {best.genome} (generation {best.generation}):"
        f" fitness {_number(best.fitness)}, base model {_number(base.fitness)} ({gain});\n"
        f"pass@1 {decimal(100 * best.pass_at_1, 0)} % and {decimal(100 * base.pass_at_1, 0)} %,"
        " problems solved"
        f" {best.problems_solved} and {base.problems_solved} of {metrics.problems}."
    )


def _number(value: float) -> str:
    return decimal(value, 3)


def plots(metrics: Metrics, generations: Sequence[Evaluated]) -> dict[str, str]:
    """Return file name -> CSV text of every plot; arguments as in `metrics.measure`.

    ``fitness.csv``: by generation, the best and mean fitness and the base model's.
    ``objectives/NAME.csv``: by generation, the objective of the best genome and its mean.
    """
    return {
        "fitness.csv": to_csv(
            ("generation", "best", "mean", "base"),
            [
                (int(name), row.best_fitness, row.mean_fitness, metrics.base.fitness)
                for name, row in metrics.generations.items()
            ],
        ),
        **{f"objectives/{name}.csv": _objective(name, metrics, generations) for name in OBJECTIVES},
    }


def _objective(name: str, metrics: Metrics, generations: Sequence[Evaluated]) -> str:
    return to_csv(
        ("generation", "best", "mean"),
        [
            (
                int(tables.generation),
                round(getattr(tables.best.objectives, name), DECIMALS),
                getattr(metrics.generations[tables.generation].objectives, name),
            )
            for tables in generations
        ],
    )
