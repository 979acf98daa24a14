"""The ids of genomes, and their order."""

from __future__ import annotations


def genome_id(generation: int, index: int) -> str:
    """Return the id of the index-th genome born in a generation, e.g. ``003-07``."""
    return f"{generation:03d}-{index:02d}"


def birth(genome_id: str) -> tuple[str, int]:
    """Return the sort key of a genome id: its generation and number.

    As text, ids of more than 100 genomes are out of order: ``000-100`` before ``000-11``.
    """
    generation, _, index = genome_id.partition("-")
    return generation, int(index or 0)


def place(genome_id: str, population: int, survivors: int) -> int:
    """Return a genome's place in the order of birth, from 0.

    If fewer than `survivors` genomes survive, their last children share places with the first of
    the next generation.
    """
    generation, index = birth(genome_id)
    earlier = int(generation)
    return index + (population + (earlier - 1) * (population - survivors) if earlier else 0)
