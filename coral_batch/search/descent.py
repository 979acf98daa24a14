"""The ancestors of a genome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from coral_batch.errors import apart
from coral_batch.records.genome import Genome
from coral_batch.search.ids import birth


def ancestors(genomes: Iterable[Genome], genome: str) -> frozenset[str]:
    """Return the ids of a genome and of all its ancestors.

    Args:
        genomes: the genomes of all generations.
        genome: its id.
    """
    parents = {member.id: member.parents for member in genomes}
    found: set[str] = set()
    waiting = [genome]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += parents.get(current, ())
    return frozenset(found)


def line(
    genomes: Iterable[Genome], worth: Mapping[str, float], genome: str
) -> list[tuple[str, float]]:
    """Return a genome's line of descent, the first ancestor first: ids, each with its worth.

    Args:
        genomes: the genomes of all generations.
        worth: genome -> what selection maximises. Of two parents the line follows the better.
        genome: its id.

    Raises:
        CoralError: a parent is none of the genomes.
    """
    parents = {member.id: member.parents for member in genomes}
    names = [genome]
    while older := [name for name in parents[names[-1]] if birth(name) < birth(names[-1])]:
        if lost := [name for name in older if name not in parents or name not in worth]:
            raise apart(f"{lost[0]}, a parent of {names[-1]}, in no population or selection")
        names.append(max(older, key=lambda name: worth[name]))
    return [(name, worth[name]) for name in reversed(names)]
