"""The data of the DVC plots that dvc.yaml declares, one CSV file each. All are selection scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple

import polars as pl

from coral_batch.records.settings import OBJECTIVES
from coral_batch.report.metrics import DECIMALS, Evaluated, Metrics, passes
from coral_batch.work.text import to_csv


def plots(
    metrics: Metrics,
    generations: Sequence[Evaluated],
    best_passes: Mapping[str, float],
    of_base: pl.DataFrame,
) -> dict[str, str]:
    """Return file name -> CSV text of every plot; arguments as in `metrics.measure`.

    ``fitness.csv``: by generation, the best and mean fitness and the base model's.
    ``objectives/NAME.csv``: by generation, the objective of the best genome and its mean.
    ``best_objectives.csv``: by objective and model (best genome, base model), the score.
    ``best_problems.csv``: by problem and model, pass@1.
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
        "best_objectives.csv": _paired(
            "objective",
            dict(zip(OBJECTIVES, astuple(metrics.best.objectives), strict=True)),
            dict(zip(OBJECTIVES, astuple(metrics.base.objectives), strict=True)),
        ),
        "best_problems.csv": _paired(
            "problem",
            best_passes,
            passes(of_base),
        ),
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


def _paired(what: str, best: Mapping[str, float], base: Mapping[str, float]) -> str:
    # One bar per label: DVC's bar template groups bars by revision only.
    rows = [
        (f"{name} ({model})", name, model, round(values[name], DECIMALS))
        for name in best
        for model, values in (("base", base), ("best", best))
    ]
    return to_csv(("bar", what, "model", "score"), rows)
