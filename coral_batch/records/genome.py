"""A genome: the seed of a cellular automaton, whose history decides the adapter and the knobs."""

from __future__ import annotations

from dataclasses import dataclass

# Rule, grid seed and density, which determine the automaton's history.
Genes = tuple[str, int, float]


@dataclass(frozen=True)
class Genome:
    """One individual.

    Attributes:
        id: ``GENERATION-INDEX`` of its birth, e.g. ``003-07``; a survivor keeps its id.
        parents: ids of the genomes it was made from; none, one or two.
        operator: how it was made: ``random``, ``mutation`` or ``crossover+mutation``.
        rule: the automaton's rule in B/S notation.
        grid_seed: seed of the automaton's first grid, in [0, 2**32).
        density: share of living cells in the first grid, in [0.1, 0.9], four decimals.
    """

    id: str
    parents: tuple[str, ...]
    operator: str
    rule: str
    grid_seed: int
    density: float

    @property
    def genes(self) -> Genes:
        """Rule, grid seed and density."""
        return self.rule, self.grid_seed, self.density
