"""The genealogy: who lived when, who was bred from whom and how, and the best genome's ancestors.

Marks of one kind are one path, so that ten thousand genomes stay a picture that a browser draws at
once. Ids are written where there is room for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from coral_batch.records.genome import Genome
from coral_batch.report.page.svg import (
    Point,
    chart,
    circles,
    diamonds,
    n,
    path,
    squares,
    text,
    whole_ticks,
)

# Operator -> shape; an operator that is not here is drawn as a circle.
_SHAPES = {"random": squares, "mutation": diamonds}
_ROOMY = 160  # genomes in all up to which each has its id written beside it
_TOP, _BOTTOM = 8.0, 38.0


@dataclass(frozen=True)
class LineageEntry:
    """A generation as the genealogy needs it.

    Attributes:
        generation: its name.
        genomes: its population, in order.
        survivors: ids of those that live on.
    """

    generation: str
    genomes: Sequence[Genome]
    survivors: frozenset[str]


def ancestors(lineage: Sequence[LineageEntry], genome: str) -> frozenset[str]:
    """Return the ids of a genome and of all that it descends from."""
    parents = {member.id: member.parents for part in lineage for member in part.genomes}
    found: set[str] = set()
    waiting = [genome]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += parents.get(current, ())
    return frozenset(found)


def genealogy(lineage: Sequence[LineageEntry], best: str) -> Markup:
    """Draw a column a generation and a row a place in the population.

    Args:
        lineage: the generations, in order.
        best: id of the genome whose ancestry is set off.
    """
    rows = max(len(part.genomes) for part in lineage)
    roomy = rows * len(lineage) <= _ROOMY
    across, down, radius = (_pitch(len(lineage)), 30.0, 5.0) if roomy else (16.0, 8.0, 2.0)
    left = 16.0
    width = left + across * (len(lineage) - 1) + (72.0 if roomy else 16.0)
    height = _TOP + down * rows + _BOTTOM
    places: list[Mapping[str, Point]] = [
        {
            genome.id: (left + across * column, _TOP + down * (row + 0.5))
            for row, genome in enumerate(part.genomes)
        }
        for column, part in enumerate(lineage)
    ]
    line = ancestors(lineage, best)
    parts = [*_edges(lineage, places, line, best), *_nodes(lineage, places, radius)]
    for column in whole_ticks(len(lineage), max(1, round(width / 60))):
        x = left + across * column
        parts.append(text(x, height - 20, lineage[column].generation, "tick middle"))
    parts.append(text(left - 8, height - 4, "generation", "label start"))
    ends = [place[best] for place in places if best in place]
    parts.append(path(circles(ends, radius + 3.5), "ring best"))
    if roomy:
        parts += [_name(part, place, radius) for part, place in zip(lineage, places, strict=True)]
    born = len({genome.id for part in lineage for genome in part.genomes})
    what = (
        f"{born} genomes in {len(lineage)} generations; "
        f"{best} descends from {len(line) - 1} of them"
    )
    return chart(max(width, 200.0), height, "Genealogy", what, parts)


def _pitch(columns: int) -> float:
    """Return how far columns with names are apart: as far as the page is wide, within reason."""
    return min(max(1000.0 / columns, 124.0), 230.0)


def _edges(
    lineage: Sequence[LineageEntry],
    places: Sequence[Mapping[str, Point]],
    line: frozenset[str],
    best: str,
) -> list[Markup]:
    drawn: dict[str, list[str]] = {"edge": [], "life": [], "edge best": [], "life best": []}
    born = next(column for column, place in enumerate(places) if best in place)
    for column, part in enumerate(lineage[1:], start=1):
        before = places[column - 1]
        for genome in part.genomes:
            end = places[column][genome.id]
            # What an ancestor lived to see after the birth is no part of the line.
            chosen = " best" if genome.id == best or (genome.id in line and column < born) else ""
            if genome.id in before:
                drawn[f"life{chosen}"].append(_link(before[genome.id], end))
                continue
            for parent in genome.parents:
                if parent in before:
                    drawn[f"edge{chosen}"].append(_link(before[parent], end))
    return [path("".join(data), css) for css, data in drawn.items() if data]


def _link(start: Point, end: Point) -> str:
    middle = n((start[0] + end[0]) / 2)
    return (
        f"M{n(start[0])} {n(start[1])}C{middle} {n(start[1])} {middle} {n(end[1])}"
        f" {n(end[0])} {n(end[1])}"
    )


def _nodes(
    lineage: Sequence[LineageEntry], places: Sequence[Mapping[str, Point]], radius: float
) -> list[Markup]:
    kinds: dict[tuple[str, bool], list[Point]] = {}
    for part, place in zip(lineage, places, strict=True):
        for genome in part.genomes:
            key = (genome.operator, genome.id in part.survivors)
            kinds.setdefault(key, []).append(place[genome.id])
    return [
        path(_SHAPES.get(operator, circles)(points, radius), f"node {'lived' if lived else 'died'}")
        for (operator, lived), points in sorted(kinds.items())
    ]


def _name(part: LineageEntry, place: Mapping[str, Point], radius: float) -> Markup:
    links = (
        Markup('<a href="generations/{}.html#g{}">{}</a>').format(
            part.generation, genome.id, text(x + radius + 6, y + 4, genome.id, "name")
        )
        for genome in part.genomes
        for x, y in (place[genome.id],)
    )
    return Markup("").join(links)
