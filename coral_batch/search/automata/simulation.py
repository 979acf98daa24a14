"""Run the automata of a whole population at once and hold their histories bit-packed.

The space is a torus: the grid's opposite edges touch. Everything is integer arithmetic, so the
histories are the same on every machine. Nothing is stored or measured here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Automata
from coral_batch.search.automata.rule import NEIGHBOURS, parse_rule
from coral_batch.seeding import generator

# Genomes simulated together: few enough that one step's arrays stay in the processor's cache.
_CHUNK = 256


@dataclass(frozen=True)
class Histories:
    """The space-time histories of n automata.

    Attributes:
        packed: (n, steps + 1, height, ceil(width / 8)) uint8 array; the cells of a row, eight to
            a byte, the leftmost in the highest bit (`np.packbits`), the last byte padded with 0.
        width: cells in a row.
    """

    packed: NDArray[np.uint8]
    width: int

    def cells(self, index: int) -> NDArray[np.uint8]:
        """Return the history of one automaton as a (steps + 1, height, width) array of 0 and 1."""
        return np.unpackbits(self.packed[index], axis=-1, count=self.width)


def unpack(arrays: Mapping[str, NDArray[Any]]) -> tuple[list[str], Histories]:
    """Return genome ids and their histories from the arrays of the table `automata`."""
    return arrays["genomes"].tolist(), Histories(arrays["packed"], int(arrays["width"]))


def initial_grid(genome: Genome, settings: Automata) -> NDArray[np.uint8]:
    """Return the genome's first grid as a (height, width) array of 0 and 1.

    A cell lives if its uniform number is below the genome's density. The numbers depend only on the
    genome's grid seed, so a small change of the density changes few cells.
    """
    uniform = generator(genome.grid_seed, "grid").random((settings.height, settings.width))
    return (uniform < genome.density).astype(np.uint8)


def simulate(genomes: Sequence[Genome], settings: Automata) -> Histories:
    """Run every genome's rule from its initial grid for `settings.steps` steps.

    Raises:
        ValueError: a genome's rule is not in B/S notation.
    """
    row_bytes = -(-settings.width // 8)
    packed = np.empty((len(genomes), settings.steps + 1, settings.height, row_bytes), np.uint8)
    for start in range(0, len(genomes), _CHUNK):
        chunk = genomes[start : start + _CHUNK]
        transitions = np.array([_transitions(genome.rule) for genome in chunk], np.uint32)
        grids = np.stack([initial_grid(genome, settings) for genome in chunk], axis=-1)
        for step in range(settings.steps + 1):
            if step > 0:
                grids = _advance(grids, transitions)
            packed[start : start + len(chunk), step] = _pack_rows(grids)
    return Histories(packed, settings.width)


def _transitions(notation: str) -> int:
    """Return 20 bits: bit `10 * alive + total` is the next state of a cell.

    `total` counts the living cells of the 3x3 block with the cell itself.
    """
    rule = parse_rule(notation)
    birth, survival = rule & 0x1FF, rule >> (NEIGHBOURS + 1)
    return birth | survival << 11


def _advance(grids: NDArray[np.uint8], transitions: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the next grids; (height, width, n) array, the population innermost for speed."""
    rows = grids + np.roll(grids, 1, axis=1) + np.roll(grids, -1, axis=1)
    total = rows + np.roll(rows, 1, axis=0) + np.roll(rows, -1, axis=0)
    return (transitions >> (total + 10 * grids) & 1).astype(np.uint8)


def _pack_rows(grids: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Pack a (height, width, n) array into (n, height, ceil(width / 8)) bytes.

    The bytes are those of `np.packbits`, which takes four times as long along such an axis.
    """
    height, width, count = grids.shape
    padded = np.pad(grids, ((0, 0), (0, -width % 8), (0, 0)))
    bits = padded.reshape(height, -1, 8, count) << np.arange(7, -1, -1, dtype=np.uint8)[:, None]
    return np.moveaxis(np.bitwise_or.reduce(bits, axis=2), -1, 0)
