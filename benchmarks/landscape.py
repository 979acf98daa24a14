"""How high searches get on landscapes that are known, beside the optimizers that people would take.

    python -m benchmarks.landscape [--replays 1000]
                                   [--reliability 0.24 | --measured [SEEN]]

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

With `--measured` the landscape is that of benchmarks/configurations.csv, adapters that were trained
and drawn with (`python -m benchmarks.configurations`): an evaluation sees what the nearest
configuration of the table has in the column `SEEN`, by default the share of the bugs of selection
that it repairs, and what counts is its share of the held-out bugs. That is one landscape, and
replays differ in the genomes that are drawn alone.

The heights of all replays go to benchmarks/results/landscape.csv.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks import configurations
from benchmarks.table import PEERS, ROOT, Row
from coral_batch.search.mapping.mapping import decode
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
    parser.add_argument(
        "--measured",
        nargs="?",
        const="selected_on",
        choices=("classics", "selected_on", "right_selected_on"),
        metavar="SEEN",
        help="classics, selected_on (the default) or right_selected_on",
    )
    arguments = parser.parse_args()
    if arguments.reliability is not None and not 0 < arguments.reliability <= 1:
        parser.error("--reliability is above 0 and at most 1")
    if arguments.measured and arguments.reliability is not None:
        parser.error("--reliability is of simulated landscapes; what was measured has its own")
    if arguments.measured and not configurations.FILE.exists():
        parser.error("nothing is measured: run `python -m benchmarks.configurations`")
    frame = _replays(arguments.replays, arguments.reliability, measured=arguments.measured)
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


def _replays(
    count: int, reliability: float | None = None, *, measured: str | None = None
) -> pl.DataFrame:
    """Return the heights that all searches reach on as many landscapes."""
    replayed = joblib.Parallel(n_jobs=-1, verbose=1)(
        joblib.delayed(_replayed)(number, reliability, measured=measured) for number in range(count)
    )
    return pl.DataFrame([row for rows in replayed for row in rows])


@dataclass(frozen=True)
class _Ground:
    """A landscape that searches are replayed on.

    Attributes:
        kind: of landscape.
        height: what counts in the end.
        seen: what an evaluation sees, but for luck.
        noise: standard deviation of its luck.
    """

    kind: str
    height: Landscape
    seen: Landscape
    noise: float


def _ground(number: int, reliability: float | None, *, measured: str | None) -> _Ground:
    if measured:
        return _Ground(f"measured, {measured} seen", *_measured(measured), 0.0)
    kind, height = landscape(number)
    noise = NOISE if reliability is None else _noise(height, reliability)
    return _Ground(kind, height, height, noise)


def _replayed(
    number: int, reliability: float | None, *, measured: str | None
) -> list[dict[str, Any]]:
    """Return the heights that all searches reach on one landscape."""
    ground = _ground(number, reliability, measured=measured)
    reached: dict[str, list[float]] = {}
    for name, (search, candidates) in OURS.items():
        settings = replace(DEFAULT.evolution, screen=candidates)
        _, evaluated, _ = replay(search, settings, ground.seen, BUDGETS[-1], number, ground.noise)
        asked = np.array([row.coordinates for row in evaluated])
        reached[name] = _best(ground.height(asked), [row.worth for row in evaluated])
    for name in PEER_NAMES:
        asked, seen = _asked(name, ground, number)
        reached[name] = _best(ground.height(asked), seen)
    replayed = {"replay": number, "landscape": ground.kind}
    return [
        {**replayed, "search": name, "budget": budget, "height": one}
        for name, values in reached.items()
        for budget, one in zip(BUDGETS, values, strict=True)
    ]


def _measured(seen: str) -> tuple[Landscape, Landscape]:
    """Return what the nearest measured configuration repairs of held-out bugs, and what is seen."""
    frame = configurations.known()
    assert frame is not None
    candidates = DEFAULT.candidates
    known = np.array([configurations.place(row, candidates) for row in frame.iter_rows(named=True)])

    def landscape_of(column: str) -> Landscape:
        cells = frame[column]
        if cells.dtype == pl.String:
            cells = cells.str.count_matches("1") / cells.str.len_chars()
        values = cells.to_numpy()

        def height(at: NDArray[np.float64]) -> NDArray[np.float64]:
            asked = np.array(
                [
                    configurations.place(configurations.genes(*one), candidates)
                    for one in decode(at.reshape(-1, 4), candidates)
                ]
            )
            away = ((asked[:, None] - known) ** 2).sum(axis=2)
            heights: NDArray[np.float64] = values[away.argmin(axis=1)]
            return heights.reshape(at.shape[:-1])

        return height

    return landscape_of("held_out"), landscape_of(seen)


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


def _asked(name: str, ground: _Ground, number: int) -> tuple[NDArray[np.float64], list[float]]:
    """Return the coordinates that a peer asked for, in order, and what it was told of them."""
    sys.path.append(str(PEERS))
    import optuna  # noqa: PLC0415

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers: dict[str, Callable[[], Any]] = {
        "Optuna TPE": lambda: optuna.samplers.TPESampler(seed=number),
        "Optuna CMA-ES": lambda: optuna.samplers.CmaEsSampler(seed=number),
    }
    study = optuna.create_study(direction="maximize", sampler=samplers[name]())
    luck = ground.noise * generator(number, "luck of a peer").standard_normal(BUDGETS[-1])
    asked, seen = [], []
    for one in luck.tolist():
        trial = study.ask()
        asked.append([trial.suggest_float(f"coordinate {axis}", 0, 1) for axis in range(4)])
        seen.append(float(ground.seen(np.array(asked[-1]))) + one)
        study.tell(trial, seen[-1])
    return np.array(asked), seen


def _best(heights: NDArray[np.float64], seen: Sequence[float]) -> list[float]:
    """Return how high that stands which seems best, by budget."""
    return [float(heights[np.argmax(seen[:budget])]) for budget in BUDGETS]


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
