"""The charts of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import accumulate

import moocore
import numpy as np
from markupsafe import Markup

from coral_batch.evidence.paired import Estimate
from coral_batch.records.genome import Genome
from coral_batch.records.rows import SelectionRow
from coral_batch.records.settings import OBJECTIVES, Scores
from coral_batch.report.page.svg import (
    LEFT,
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
from coral_batch.work.text import decimal, interval

PANEL = (340.0, 210.0)
WIDE = (560.0, 380.0)
_MARKED = 40  # points of a line that are marked, at most
_WIDTH = 340.0
_LABELLED = 4  # genomes of a line of descent that are labelled, besides the last
_CURVE = 200  # points of a training curve, neighbours averaged


@dataclass(frozen=True)
class Series:
    """A line by generation: name, class of the style sheet, one value a generation."""

    name: str
    css: str
    values: Sequence[float]


def held_out_chart(base: Estimate, best: Estimate) -> Markup:
    """Draw the shares of bugs that the base model and the best genome repair, with intervals."""
    x_ticks = ticks(0.0, max(base.high, best.high))
    frame = Frame(_WIDTH, 112.0, (0, x_ticks[-1]), (-0.35, 1.3))
    labels = [(value, f"{100 * value:.0f} %") for value in x_ticks]
    parts = [frame.axes(labels, (), ("", ""))]
    rows = ((1, "base model", base, "base", diamonds), (0, "best genome", best, "best", circles))
    for row, name, share, css, shape in rows:
        (low, y), (high, _), place = (
            frame.at((value, row)) for value in (share.low, share.high, share.value)
        )
        whisker = f"M{n(low)} {n(y)}H{n(high)}M{n(low)} {n(y - 4)}v8M{n(high)} {n(y - 4)}v8"
        parts += [
            path(whisker, f"whisker {css}"),
            path(shape([place], 6), f"dot {css}"),
            text(LEFT, y - 12, f"{name} {interval(share)}", "mark start"),
        ]
    what = f"Base model {interval(base)}, best genome {interval(best)}"
    return chart(_WIDTH, 112.0, "Bugs repaired", what, parts)


def descent_chart(
    genomes: Sequence[Genome],
    scores: Mapping[str, float],
    line: Sequence[str],
    generations: Sequence[str],
) -> Markup:
    """Draw the score of each genome by its generation of birth, and a line of descent.

    Args:
        genomes: of all generations.
        scores: what selection maximises, of each.
        line: ids of the line of descent, oldest first.
        generations: their names.
    """
    height = 180.0
    y_ticks = ticks(min(scores.values()), max(scores.values()), 3)
    low, high = y_ticks[0], y_ticks[-1]
    room = 0.2 * (high - low)
    last = len(generations) - 1
    # Room for labels.
    x_range = (-0.15 * last, 1.15 * last) if last else (-1.0, 1.0)
    frame = Frame(_WIDTH, height, x_range, (low - room, high + room))
    places = {
        name: frame.at((generations.index(birth(name)[0]), score)) for name, score in scores.items()
    }
    others = {
        (parent, genome.id)
        for genome in genomes
        if genome.id in line
        for parent in genome.parents
        if parent in places and parent not in line
    }
    edges = "".join(polyline([places[name] for name in edge]) for edge in sorted(others))
    steps = [places[name] for name in line]
    x_ticks = [(index, generations[index]) for index in whole_ticks(len(generations), 6)]
    parts = [
        frame.axes(x_ticks, y_ticks, ("generation", "score in selection")),
        path(edges, "edge"),
        path(circles([places[name] for name in scores if name not in line], 3.5), "hollow"),
        path(polyline(steps), "line best"),
        path(circles(steps, 5), "dot best"),
    ]
    for index in {*whole_ticks(len(line), _LABELLED), len(line) - 1}:
        name = line[index]
        x, y, anchor = _label_place(steps, index)
        label = text(x, y, name, f"mark {anchor}")
        label += text(x, y + 12, decimal(scores[name], 2), f"mark {anchor}")
        parts.append(
            Markup('<a href="generations/{}.html#g{}">{}</a>').format(birth(name)[0], name, label)
        )
    what = ", ".join(f"{name} {decimal(scores[name], 3)}" for name in line)
    return chart(_WIDTH, height, f"Line of descent of {line[-1]}", what, parts)


def _label_place(steps: Sequence[Point], index: int) -> tuple[float, float, str]:
    """Return where a point's label of two lines begins, beside the line, and its anchor."""
    x, y = steps[index]
    falls_to = index > 0 and steps[index - 1][1] < y
    rises_from = index + 1 < len(steps) and steps[index + 1][1] < y
    if falls_to and rises_from:
        return x, y + 18, "middle"
    return (x - 6, y - 22, "start") if falls_to else (x + 6, y - 22, "end")


def by_generation(title: str, series: Sequence[Series], generations: Sequence[str]) -> Markup:
    """Draw lines over the generations."""
    values = [value for line in series for value in line.values]
    y_ticks = ticks(min(values), max(values))
    last = len(generations) - 1
    # One generation: its points are in the middle.
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
        f"{line.name} from {decimal(line.values[0], 3)} to {decimal(line.values[-1], 3)}"
        for line in series
    )
    return chart(*PANEL, f"{title} by generation", ends, parts)


def training_curve(losses: Sequence[float]) -> Markup:
    """Draw the loss by optimizer step; empty without a step."""
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


def pareto(
    rows: Sequence[SelectionRow], best: SelectionRow, base: Scores, weights: Scores
) -> Markup:
    """Draw every genome: fitness from the first objective against fitness from the others.

    Lines of equal fitness fall from left to right.

    Args:
        rows: every genome once.
        best: the genome to label.
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
    radius = 4 if len(rows) <= 200 else 2
    objectives = np.array([astuple(row.objectives) for row in rows])
    ahead = moocore.is_nondominated(objectives, maximise=True, keep_weakly=True)
    # On the front the fittest come first.
    order = sorted(range(len(rows)), key=lambda at: (-rows[at].fitness, birth(rows[at].genome)))
    on_front = [frame.at(points[at]) for at in order if ahead[at]]
    dominated = [frame.at(points[at]) for at in range(len(rows)) if not ahead[at]]
    parts = [
        frame.axes([(value, f"{value:g}") for value in x_ticks], y_ticks, names),
        *(
            path(polyline(_equal_fitness(sum(point), frame)), "line equal")
            for point in (chosen, base_place)
        ),
        path(circles(dominated, radius), "hollow mean"),
        path(circles(on_front, radius + 1), "dot best"),
        path(diamonds([frame.at(base_place)], 6), "dot base"),
        _label("base model", frame.at(base_place), frame),
        _label(best.genome, frame.at(chosen), frame),
    ]
    what = (
        f"{len(rows)} genomes, {len(on_front)} of them on the front; best {best.genome} with"
        f" fitness {decimal(best.fitness, 3)}, base model {decimal(sum(base_place), 3)}"
    )
    return chart(*WIDE, "Pareto front", what, parts)


def _equal_fitness(fitness: float, frame: Frame) -> list[Point]:
    """Return where the line of equal fitness enters and leaves the frame, in px."""
    left = max(frame.x[0], fitness - frame.y[1])
    right = min(frame.x[1], fitness - frame.y[0])
    return [frame.at((x, fitness - x)) for x in (left, right)]


def _label(content: str, place: Point, frame: Frame) -> Markup:
    """Write a name beside a point, on the side that has room."""
    x, y = place
    left = x > frame.width * 0.7
    return text(x - 10 if left else x + 10, y + 4, content, f"mark {'end' if left else 'start'}")


def bar(value: float, limit: float | None = None) -> Markup:
    """Draw a share in [0, 1] as a bar, with a mark at a limit."""
    parts = [path("M0 3h120v6H0z", "track"), path(f"M0 3h{n(120 * value)}v6H0z", "fill plain")]
    if limit is not None:
        parts.append(path(f"M{n(120 * limit)} 0v12", "limit"))
    return _cell(120, 12, parts)


def interval_bar(difference: Estimate) -> Markup:
    """Draw a difference in [-1, 1] with its interval and a mark at 0."""
    value, low, high = (80 + 74 * number for number in astuple(difference))
    parts = [
        path("M6 8H154", "track-line"),
        path("M80 1v14", "zero"),
        path(f"M{n(low)} 8H{n(high)}M{n(low)} 4v8M{n(high)} 4v8", "whisker"),
        path(circles([(value, 8)], 4), "dot best"),
    ]
    return _cell(160, 16, parts)


def _cell(width: int, height: int, parts: Sequence[Markup]) -> Markup:
    """Wrap marks as an image in a cell; the cell before it has the number."""
    return Markup(
        '<svg class="bar" viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-hidden="true">{body}'
        "</svg>"
    ).format(w=width, h=height, body=Markup("").join(parts))
