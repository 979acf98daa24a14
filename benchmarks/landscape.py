"""How high searches get on landscapes that are known, beside the optimizers that people would take.

    python -m benchmarks.landscape [--replays 1000] [--reliability 0.24]

Every replay draws a landscape on the four coordinates of a configuration, in [0, 1], of each kind
in turn: a broad hill, a narrow one, one that only two of the coordinates decide, and a rugged one.
Its heights are those of pass rates, from about 0.2 to 0.7, and an evaluation sees them through
noise: with a standard deviation of 0.03, or so much that what is seen of configurations drawn at
random is as reliable as `--reliability` says (`coral_batch.evidence.reliability`; a run's evidence
says it of what its selection saw). All searches of a replay have the same landscape. What counts is
how high that configuration truly stands which seems best after 8, 16, 32 and 64 evaluations.

The searches of this project breed genomes by the default settings of `evolution`, of smaller
automata (`tests.replays`), so they reach what automata reach; Optuna's TPE and CMA-ES ask for any
point of the cube, with their own defaults. Nothing is trained: these are simulated landscapes, and
how far they resemble real ones is not known.

The heights of all replays go to benchmarks/results/landscape.csv.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import joblib
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.table import PEERS, ROOT, Row
from coral_batch.seeding import generator
from coral_batch.work.text import table
from tests.replays import DEFAULT, NOISE, Landscape, hill, replay

BUDGETS = (8, 16, 32, 64)
OURS = {
    "evolved": ("evolved", DEFAULT.evolution.screen),
    "evolved, screen 1": ("evolved", 1),
    "unselected": ("unselected", 1),
    "random": ("random", 1),
}
PEER_NAMES = ("Optuna TPE", "Optuna CMA-ES")
_DRAWS = 2000


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--replays", type=int, default=1000)
    parser.add_argument("--reliability", type=float, metavar="R", help="in (0, 1]")
    arguments = parser.parse_args()
    if arguments.reliability is not None and not 0 < arguments.reliability <= 1:
        parser.error("--reliability is above 0 and at most 1")
    frame = _replays(arguments.replays, arguments.reliability)
    file = ROOT / "benchmarks/results/landscape.csv"
    file.parent.mkdir(exist_ok=True)
    frame.write_csv(file)
    print(_heights(frame))
    print(f"written to {file.relative_to(ROOT)}")


def measure() -> list[Row]:
    """Measure how high the best of 16 configurations stands; see the module for more."""
    frame = _replays(120).filter(pl.col("budget") == 16)
    heights = dict(frame.group_by("search").agg(pl.col("height").mean()).iter_rows())
    what = "best of 16 configurations on simulated landscapes"
    ours = heights.pop("evolved")
    return [Row(what, "height", ours, name, theirs) for name, theirs in sorted(heights.items())]


def _replays(count: int, reliability: float | None = None) -> pl.DataFrame:
    """Return the heights that all searches reach on as many landscapes."""
    replayed = joblib.Parallel(n_jobs=-1, verbose=1)(
        joblib.delayed(_replayed)(number, reliability) for number in range(count)
    )
    return pl.DataFrame([row for rows in replayed for row in rows])


def _replayed(number: int, reliability: float | None) -> list[dict[str, Any]]:
    """Return the heights that all searches reach on one landscape."""
    kind, height = landscape(number)
    noise = NOISE if reliability is None else _noise(height, reliability)
    reached: dict[str, list[float]] = {}
    for name, (search, candidates) in OURS.items():
        settings = replace(DEFAULT.evolution, screen=candidates)
        heights, evaluated, _ = replay(search, settings, height, BUDGETS[-1], number, noise)
        seen = {row.genome: row.worth for row in evaluated}
        reached[name] = _best(list(heights.values()), [seen[genome] for genome in heights])
    for name in PEER_NAMES:
        reached[name] = _best(*_asked(name, height, number, noise))
    return [
        {"replay": number, "landscape": kind, "search": name, "budget": budget, "height": value}
        for name, values in reached.items()
        for budget, value in zip(BUDGETS, values, strict=True)
    ]


def landscape(number: int) -> tuple[str, Landscape]:
    """Return the landscape of a replay and its kind."""
    random = generator(0, "landscape", number)
    kind = ("broad hill", "narrow hill", "two coordinates", "rugged")[number % 4]
    peak = random.random(4)
    if kind == "broad hill":
        return kind, hill(peak)
    if kind == "narrow hill":
        return kind, _bumps(peak[None], np.array([0.5]), 0.3)
    if kind == "two coordinates":
        chosen = random.permutation(4)[:2]
        return (
            kind,
            lambda at: (
                0.2 + 0.5 * np.exp(-((at - peak)[..., chosen] ** 2).sum(axis=-1) / (2 * 0.3**2))
            ),
        )
    return kind, _bumps(random.random((12, 4)), random.uniform(0.1, 0.5, 12), 0.25)


def _noise(height: Landscape, reliability: float) -> float:
    """Return the noise through which random configurations are seen with a reliability."""
    spread = float(height(generator(0, "spread").random((4096, 4))).std())
    return spread * math.sqrt((1 - reliability) / reliability)


def _bumps(peaks: NDArray[np.float64], tops: NDArray[np.float64], width: float) -> Landscape:
    """Return a landscape whose height above 0.2 is that of the highest of several hills."""

    def height(at: NDArray[np.float64]) -> NDArray[np.float64]:
        away = ((at[..., None, :] - peaks) ** 2).sum(axis=-1)
        return 0.2 + (tops * np.exp(-away / (2 * width**2))).max(axis=-1)

    return height


def _asked(
    name: str, height: Landscape, number: int, noise: float
) -> tuple[list[float], list[float]]:
    """Return the true heights of what a peer asked for, in order, and what it was told of them."""
    sys.path.append(str(PEERS))
    import optuna  # noqa: PLC0415

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers: dict[str, Callable[[], Any]] = {
        "Optuna TPE": lambda: optuna.samplers.TPESampler(seed=number),
        "Optuna CMA-ES": lambda: optuna.samplers.CmaEsSampler(seed=number),
    }
    study = optuna.create_study(direction="maximize", sampler=samplers[name]())
    luck = noise * generator(number, "luck of a peer").standard_normal(BUDGETS[-1])
    heights, seen = [], []
    for one in luck.tolist():
        trial = study.ask()
        at = np.array([trial.suggest_float(f"coordinate {axis}", 0, 1) for axis in range(4)])
        heights.append(float(height(at)))
        seen.append(heights[-1] + one)
        study.tell(trial, seen[-1])
    return heights, seen


def _best(heights: Sequence[float], seen: Sequence[float]) -> list[float]:
    """Return how high that stands which seems best, by budget."""
    return [heights[int(np.argmax(seen[:budget]))] for budget in BUDGETS]


def _heights(frame: pl.DataFrame) -> str:
    """Return the mean heights by search and budget, and how sure `evolved` is ahead."""
    names = frame["search"].unique(maintain_order=True).to_list()
    parts = []
    for kind in ("all", *frame["landscape"].unique(maintain_order=True)):
        some = frame if kind == "all" else frame.filter(pl.col("landscape") == kind)
        reached = {
            (name, budget): rows.sort("replay")["height"].to_numpy()
            for (name, budget), rows in some.group_by("search", "budget")
        }
        rows = []
        for name in names:
            cells = []
            for budget in BUDGETS:
                own = reached[name, budget]
                cells.append(f"{own.mean():.3f} {_ahead(reached['evolved', budget] - own)}")
            rows.append((name, *cells))
        header = (f"{kind}, {len(reached[names[0], BUDGETS[0]])}", *map(str, BUDGETS))
        parts.append(table(header, rows, left={header[0]}))
    return "\n\n".join(
        (
            *parts,
            "mean height; in brackets the probability that `evolved` is better, by a bootstrap",
        )
    )


def _ahead(difference: NDArray[np.float64]) -> str:
    """Return the share of bootstrap means of paired differences that are above 0."""
    if not difference.any():
        return "       "
    random = generator(0, "bootstrap")
    drawn = random.integers(len(difference), size=(_DRAWS, len(difference)))
    return f"({(difference[drawn].mean(axis=1) > 0).mean():.3f})"


if __name__ == "__main__":
    main()
