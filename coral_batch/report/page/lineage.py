"""The genealogy: who lived when, who was bred from whom, and the best genome's ancestors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from coral_batch.records.genome import Genome
from coral_batch.report.page.svg import Point, chart, circles, diamonds, n, path, squares, text
from coral_batch.search.descent import ancestors

DRAWN = 50
"""Genomes that are drawn at most."""
# Operator -> shape; an operator that is not here is drawn as a circle.
_SHAPES = {"random": squares, "mutation": diamonds}
_TOP, _BOTTOM, _LEFT = 8.0, 38.0, 16.0
_ACROSS, _DOWN, _RADIUS = 150.0, 30.0, 5.0


@dataclass(frozen=True)
class LineageEntry:
    """A generation as the genealogy needs it.

    Attributes:
        generation: its name.
        genomes: its population, in order.
        survivors: ids of those that live on.
        worth: of each genome, what selection maximises.
    """

    generation: str
    genomes: Sequence[Genome]
    survivors: frozenset[str]
    worth: Mapping[str, float]


def genealogy(lineage: Sequence[LineageEntry], best: str) -> tuple[Markup, int]:
    """Draw a column a generation and a row a place in the population.

    Args:
        lineage: the generations, in order.
        best: id of the genome whose ancestry is set off.

    Returns:
        The picture of `DRAWN` genomes, the best one's ancestors and then those that were born
        first, and how many are left out.
    """
    line = ancestors((genome for part in lineage for genome in part.genomes), best)
    born = list(dict.fromkeys(genome.id for part in lineage for genome in part.genomes))
    kept = set(sorted(born, key=lambda name: name not in line)[:DRAWN]) | {best}
    lineage = [
        replace(part, genomes=genomes)
        for part in lineage
        if (genomes := [genome for genome in part.genomes if genome.id in kept])
    ]
    rows = max(len(part.genomes) for part in lineage)
    places: list[Mapping[str, Point]] = [
        {
            genome.id: (_LEFT + _ACROSS * column, _TOP + _DOWN * (row + 0.5))
            for row, genome in enumerate(part.genomes)
        }
        for column, part in enumerate(lineage)
    ]
    width, height = _ACROSS * len(lineage), _TOP + _DOWN * rows + _BOTTOM
    parts = [*_edges(lineage, places, line, best), *_nodes(lineage, places)]
    for column, part in enumerate(lineage):
        x = _LEFT + _ACROSS * column
        parts.append(text(x, height - 20, part.generation, "tick middle"))
    parts.append(text(_LEFT - 8, height - 4, "generation", "label start"))
    ends = [place[best] for place in places if best in place]
    parts.append(path(circles(ends, _RADIUS + 3.5), "ring best"))
    parts += [_names(part, place) for part, place in zip(lineage, places, strict=True)]
    what = (
        f"{len(kept)} genomes in {len(lineage)} generations; "
        f"{best} descends from {len(line) - 1} of all {len(born)}"
    )
    return chart(max(width, 200.0), height, "Genealogy", what, parts), len(born) - len(kept)


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


def _nodes(lineage: Sequence[LineageEntry], places: Sequence[Mapping[str, Point]]) -> list[Markup]:
    return [
        path(
            _SHAPES.get(genome.operator, circles)([place[genome.id]], _RADIUS),
            f"node {'lived' if genome.id in part.survivors else 'died'}",
        )
        for part, place in zip(lineage, places, strict=True)
        for genome in part.genomes
    ]


def _names(part: LineageEntry, place: Mapping[str, Point]) -> Markup:
    links = (
        Markup('<a href="generations/{}.html#g{}">{}</a>').format(
            part.generation,
            genome.id,
            text(x + _RADIUS + 6, y + 4, f"{genome.id}  {part.worth[genome.id]:.3f}", "name"),
        )
        for genome in part.genomes
        for x, y in (place[genome.id],)
    )
    return Markup("").join(links)
