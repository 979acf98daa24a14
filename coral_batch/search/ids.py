"""The ids of genomes, and the order of their births."""

from __future__ import annotations


def genome_id(generation: int, index: int) -> str:
    """Return the id of the index-th genome born in a generation, e.g. ``003-07``."""
    return f"{generation:03d}-{index:02d}"


def birth(genome_id: str) -> tuple[str, int]:
    """Return generation and number of a genome: what ids are ordered by.

    As texts they are out of order from the 101st of a generation on: ``000-100`` before ``000-11``.
    """
    generation, _, index = genome_id.partition("-")
    return generation, int(index or 0)
