"""The page's charts of numbers by generation, of training, of the Pareto front and of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from itertools import accumulate, pairwise

import moocore
import numpy as np
from markupsafe import Markup

from coral_batch.records.rows import SelectionRow, TimeRow
from coral_batch.records.settings import OBJECTIVES, Scores
from coral_batch.report.page.svg import (
    Frame,
    Point,
    chart,
    circles,
    diamonds,
    n,
    path,
    polyline,
    text,
    ticks,
    whole_ticks,
)
from coral_batch.search.ids import birth

PANEL = (340.0, 210.0)
WIDE = (560.0, 380.0)
_MARKED = 40  # up to this many points a line shows each
_CURVE = 200  # points of a training curve, neighbours averaged


@dataclass(frozen=True)
class Series:
    """A line by generation: name, class of the style sheet, one value a generation."""

    name: str
    css: str
    values: Sequence[float]


def by_generation(title: str, series: Sequence[Series], generations: Sequence[str]) -> Markup:
    """Draw lines over the generations."""
    values = [value for line in series for value in line.values]
    y_ticks = ticks(min(values), max(values))
    last = len(generations) - 1
    # A run of one generation has its only points in the middle.
    frame = Frame(*PANEL, (0, last) if last else (-1, 1), (y_ticks[0], y_ticks[-1]))
    labels = [(index, generations[index]) for index in whole_ticks(len(generations), 6)]
    parts = [frame.axes(labels, y_ticks, ("generation", "score"))]
    for line in series:
        points = [frame.at((index, value)) for index, value in enumerate(line.values)]
        parts.append(path(polyline(points), f"line {line.css}"))
        if line.css == "best" and len(points) <= _MARKED:
            parts.append(path(circles(points, 3), "dot best"))
        elif last == 0:
            parts.append(path(diamonds(points, 4), f"line {line.css}"))
    ends = "; ".join(
        f"{line.name} from {line.values[0]:.3f} to {line.values[-1]:.3f}" for line in series
    )
    return chart(*PANEL, f"{title} by generation", ends, parts)


def training_curve(losses: Sequence[float]) -> Markup:
    """Draw the loss of every optimizer step; nothing where no step was made."""
    if not losses:
        return Markup("")
    bins = np.array_split(np.array(losses), min(_CURVE, len(losses)))
    y_ticks = ticks(0.0, max(losses))
    frame = Frame(*PANEL, (0, max(len(losses), 2)), (y_ticks[0], y_ticks[-1]))
    ends = list(accumulate(len(part) for part in bins))
    points = [
        frame.at((end - (len(part) - 1) / 2, float(part.mean())))
        for end, part in zip(ends, bins, strict=True)
    ]
    x_ticks = [(value, f"{value:g}") for value in ticks(0, len(losses)) if value <= frame.x[1]]
    parts = [
        frame.axes(x_ticks, y_ticks, ("optimizer step", "loss")),
        path(polyline(points), "line best"),
    ]
    if len(points) == 1:
        parts.append(path(circles(points, 3), "dot best"))
    what = f"From {losses[0]:.3f} to {losses[-1]:.3f} in {len(losses)} steps"
    return chart(*PANEL, "Training loss", what, parts)


def front(rows: Sequence[SelectionRow]) -> list[SelectionRow]:
    """Return those that none of the others dominates in the objectives, fittest first."""
    objectives = np.array([astuple(row.objectives) for row in rows])
    chosen = moocore.is_nondominated(objectives, maximise=True, keep_weakly=True)
    members = [row for row, member in zip(rows, chosen, strict=True) if member]
    return sorted(members, key=lambda row: (-row.fitness, birth(row.genome)))


def pareto(
    rows: Sequence[SelectionRow],
    members: Sequence[SelectionRow],
    best: SelectionRow,
    base: Scores,
    weights: Scores,
) -> Markup:
    """Draw every genome by what the first and what the other objectives give to its fitness.

    The two add up to the fitness, so that lines of equal fitness fall from left to right.

    Args:
        rows: every genome once.
        members: those on the front.
        best: the one to name.
        base: the base model's objectives.
        weights: of the fitness.
    """

    def place(scores: Scores) -> Point:
        gains = np.array(astuple(weights)) * np.array(astuple(scores))
        return float(gains[0]), float(gains[1:].sum())

    points = [place(row.objectives) for row in rows]
    chosen, base_place = place(best.objectives), place(base)
    x_ticks, y_ticks = (
        ticks(min(values), max(values), 5) for values in zip(*points, base_place, strict=True)
    )
    frame = Frame(*WIDE, (x_ticks[0], x_ticks[-1]), (y_ticks[0], y_ticks[-1]))
    first = astuple(weights)[0]
    names = (
        f"fitness from {OBJECTIVES[0]}, of {first:g}",
        f"fitness from the other {len(OBJECTIVES) - 1}, of {1 - first:.4g}",
    )
    kept = {row.genome for row in members}
    radius = 4 if len(rows) <= 200 else 2
    dominated = [
        frame.at(point) for row, point in zip(rows, points, strict=True) if row.genome not in kept
    ]
    ahead = [frame.at(place(row.objectives)) for row in members]
    x, y = frame.at(chosen)
    bx, by = frame.at(base_place)
    parts = [
        frame.axes([(value, f"{value:g}") for value in x_ticks], y_ticks, names),
        *(
            path(polyline(_equal_fitness(sum(point), frame)), "line equal")
            for point in (chosen, base_place)
        ),
        path(circles(dominated, radius), "hollow mean"),
        path(circles(ahead, radius + 1), "dot best"),
        path(diamonds([(bx, by)], 6), "dot base"),
        text(*_beside(bx, by, frame), "base model", f"mark {_anchor(bx, frame)}"),
        text(*_beside(x, y, frame), best.genome, f"mark {_anchor(x, frame)}"),
    ]
    what = (
        f"{len(rows)} genomes, {len(members)} of them on the front; best {best.genome} with"
        f" fitness {best.fitness:.3f}, base model {sum(base_place):.3f}"
    )
    return chart(*WIDE, "Pareto front", what, parts)


def _equal_fitness(fitness: float, frame: Frame) -> list[Point]:
    """Return where the line of equal fitness enters and leaves the frame, in px."""
    left = max(frame.x[0], fitness - frame.y[1])
    right = min(frame.x[1], fitness - frame.y[0])
    return [frame.at((x, fitness - x)) for x in (left, right)]


def _anchor(x: float, frame: Frame) -> str:
    return "end" if x > frame.width * 0.7 else "start"


def _beside(x: float, y: float, frame: Frame) -> Point:
    return (x - 10 if _anchor(x, frame) == "end" else x + 10, y + 4)


def time_chart(rows: Sequence[TimeRow]) -> Markup:
    """Draw a column a part: training, decoding and test cases on top of one another."""
    stacks = [
        (row.part, (row.training_seconds, row.decoding_seconds, row.wall_seconds)) for row in rows
    ]
    longest = max(sum(parts) for _, parts in stacks)
    unit, seconds = _unit(longest)
    y_ticks = ticks(0.0, longest / seconds)
    frame = Frame(*WIDE, (-0.5, len(rows) - 0.5), (0, y_ticks[-1]))
    half = min(0.36 * (frame.at((1, 0))[0] - frame.at((0, 0))[0]), 40.0)
    labels = [(index, stacks[index][0]) for index in whole_ticks(len(stacks), 8)]
    parts = [frame.axes(labels, y_ticks, ("part of the run", unit))]
    for layer, css in enumerate(("training", "decoding", "cases")):
        data = []
        for index, (_, values) in enumerate(stacks):
            edges = [0.0, *accumulate(value / seconds for value in values)]
            low, high = list(pairwise(edges))[layer]
            (x, bottom), (_, top) = frame.at((index, low)), frame.at((index, high))
            if bottom - top > 0.05:
                data.append(f"M{n(x - half)} {n(bottom)}V{n(top)}H{n(x + half)}V{n(bottom)}z")
        parts.append(path("".join(data), f"fill {css}"))
    totals = [sum(values[layer] for _, values in stacks) for layer in range(3)]
    what = (
        f"Training {totals[0]:.0f} s, decoding {totals[1]:.0f} s, test cases {totals[2]:.0f} s,"
        f" over {len(rows)} parts of the run"
    )
    return chart(*WIDE, "Where the time went", what, parts)


def _unit(longest: float) -> tuple[str, float]:
    for name, seconds in (("hours", 3600.0), ("minutes", 60.0)):
        if longest >= 2 * seconds:
            return name, seconds
    return "seconds", 1.0


def bar(value: float, css: str, limit: float | None = None) -> Markup:
    """Draw a share in [0, 1] as a bar, with a mark at a limit; the number stands beside it."""
    parts = [path("M0 3h120v6H0z", "track"), path(f"M0 3h{n(120 * value)}v6H0z", f"fill {css}")]
    if limit is not None:
        parts.append(path(f"M{n(120 * limit)} 0v12", "limit"))
    return _cell(120, 12, parts)


def interval_bar(difference: float, lowest: float, highest: float) -> Markup:
    """Draw a difference in [-1, 1] and its interval on a line that 0 is marked on."""
    value, low, high = (80 + 74 * number for number in (difference, lowest, highest))
    parts = [
        path("M6 8H154", "track-line"),
        path("M80 1v14", "zero"),
        path(f"M{n(low)} 8H{n(high)}M{n(low)} 4v8M{n(high)} 4v8", "whisker"),
        path(circles([(value, 8)], 4), "dot best"),
    ]
    return _cell(160, 16, parts)


def pair(base: float, best: float) -> Markup:
    """Draw two shares in [0, 1] on one line: the base model's and the best genome's."""
    x, y = 8 + 184 * base, 8 + 184 * best
    parts = [
        path("M8 8H192", "track-line"),
        path(f"M{n(x)} 8H{n(y)}", "gain" if y >= x else "loss"),
        path(diamonds([(x, 8)], 7.5), "dot base"),  # seen around the dot where both are equal
        path(circles([(y, 8)], 4.5), "dot best"),
    ]
    return _cell(200, 16, parts)


def _cell(width: int, height: int, parts: Sequence[Markup]) -> Markup:
    """Wrap marks as an image in a cell of a table, beside what it shows in numbers."""
    return Markup(
        '<svg class="bar" viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-hidden="true">{body}'
        "</svg>"
    ).format(w=width, h=height, body=Markup("").join(parts))
