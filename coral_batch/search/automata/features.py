"""Four numbers in [0, 1] that describe an automaton's history.

Everything is counted in integers and each feature ends in one division, so the features are
bit-identical on every machine. They cover the whole history with its transient. Measured only on
the last states, all automata that died out would be equal and get the same configuration. The
features are correlated and far from uniform; `coral_batch.search.mapping.transport` makes them
uniform.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Automata
from coral_batch.search.automata.simulation import Histories, simulate

FEATURES = ("complexity", "intensity", "periodicity", "convergence")

MAX_LAG = 12

# Packed states, in bytes, that are measured together: intermediate arrays take about 20 times that.
_MEASURED = 1 << 19

# Packed histories, in bytes, that are simulated together.
_SIMULATED = 1 << 25

# Entropies are summed in units of 2**-24 bit.
_FRACTION = 1 << 24


def features_of(genomes: Sequence[Genome], settings: Automata) -> NDArray[np.float64]:
    """Simulate and measure automata in chunks, without keeping histories; see `features`."""
    size = (settings.steps + 1) * settings.height * -(-settings.width // 8)
    together = max(1, _SIMULATED // size)
    measured = np.empty((len(genomes), len(FEATURES)))
    for start in range(0, len(genomes), together):
        part = slice(start, start + together)
        measured[part] = features(simulate(genomes[part], settings))
    return measured


def features(histories: Histories) -> NDArray[np.float64]:
    """Measure every history.

    Args:
        histories: n histories of at least two steps.

    Returns:
        (n, 4) array, the columns in the order of `FEATURES`, each in [0, 1]; see the functions
        of the same names.
    """
    together = max(1, _MEASURED // math.prod(histories.packed.shape[1:]))
    measured = np.empty((len(histories.packed), len(FEATURES)))
    for start in range(0, len(histories.packed), together):
        part = slice(start, start + together)
        chunk = Histories(histories.packed[part], histories.width)
        cells = chunk.packed.shape[2] * chunk.width
        states = _words(chunk.packed)
        activity = _count(states[:, 1:] ^ states[:, :-1])
        columns = (
            complexity(chunk),
            intensity(activity, cells),
            periodicity(states, cells),
            convergence(activity),
        )
        measured[part] = np.stack(columns, axis=1)
    return measured


def complexity(histories: Histories) -> NDArray[np.float64]:
    """Return the mean entropy of the 2x2 blocks of each state, divided by its maximum of 4 bits.

    Block entropy as in Wolfram (1984), Universality and complexity in cellular automata, Physica D
    10: H = log2 N - 1/N sum c log2 c over the counts c of the 16 patterns at the N places.
    """
    count, states, height, row = histories.packed.shape
    cells = height * histories.width
    grids = histories.packed.reshape(-1, height, row)
    together = max(1, _MEASURED // (height * row))
    c_log_c = _c_log2_c(cells)
    sums = [
        c_log_c[_blocks(grids[start : start + together], histories.width)].sum(axis=1)
        for start in range(0, len(grids), together)
    ]
    total = np.concatenate(sums).reshape(count, states).sum(axis=1)
    return (states * c_log_c[cells] - total) / float(4 * cells * states * _FRACTION)


def _blocks(packed: NDArray[np.uint8], width: int) -> NDArray[np.int64]:
    """Count the 16 kinds of 2x2 blocks in (n, height, bytes) packed grids; (n, 16) array."""
    height = packed.shape[1]
    right: NDArray[np.uint8] = packed << np.uint8(1)
    right[..., :-1] |= packed[..., 1:] >> 7
    right[..., -1] |= packed[..., 0] >> 7 << (-width % 8)
    corners = (packed, right, np.roll(packed, -1, axis=1), np.roll(right, -1, axis=1))
    # The padding bits belong to no cell: they must not count as dead ones.
    inside = _words(np.packbits(np.ones((1, height, width), np.uint8), axis=-1))
    dead_or_alive = [(inside & ~words, words) for words in map(_words, corners)]
    upper = [np.bitwise_and(*pair) for pair in product(*dead_or_alive[:2])]
    lower = [np.bitwise_and(*pair) for pair in product(*dead_or_alive[2:])]
    return np.stack([_count(np.bitwise_and(*pair)) for pair in product(upper, lower)], axis=1)


def intensity(activity: NDArray[np.int64], cells: int) -> NDArray[np.float64]:
    """Return the mean share of cells that change in a step.

    Args:
        activity: (n, steps) array, the number of cells that changed in each step.
        cells: cells of the grid.
    """
    return activity.sum(axis=1) / (activity.shape[1] * cells)


def periodicity(states: NDArray[np.uint64], cells: int) -> NDArray[np.float64]:
    """Return the largest agreement over the lags 2 to `MAX_LAG`.

    The agreement at lag p is the share of cells that are equal in the states t and t - p, over
    all t (an autocorrelation of the history). Lag 1 would repeat the intensity.

    Args:
        states: (n, steps + 1, words) array of packed states.
        cells: cells of the grid.
    """
    best = np.zeros(len(states))
    for lag in range(2, min(MAX_LAG, states.shape[1] - 1) + 1):
        different = _count(states[:, lag:] ^ states[:, :-lag])
        pairs = different.shape[1] * cells
        best = np.maximum(best, (pairs - different.sum(axis=1)) / pairs)
    return best


def convergence(activity: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how steadily the activity falls: 1 falls, 1/2 has no trend, 0 grows.

    1/2 + 1/2 sum(a_s - a_t) / sum(|a_s - a_t| + 1) over all pairs of steps s < t: Kendall's (1938)
    rank correlation of activity and time with each pair weighted by its difference, which spreads
    far better than the slope. The + 1 tells apart automata that die at once.

    Args:
        activity: (n, steps) array, the number of cells that changed in each step.
    """
    steps = activity.shape[1]
    # A value is added once for each later value, and subtracted once for each earlier value. Of
    # sorted values, this sum is minus the sum of the absolute differences.
    signs = np.arange(steps - 1, -steps, -2)
    fall = (activity * signs).sum(axis=1)
    weight = -(np.sort(activity, axis=1) * signs).sum(axis=1) + steps * (steps - 1) // 2
    return (weight + fall) / (2 * weight)


def _words(packed: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return (..., height, bytes) packed grids as (..., words)."""
    flat = packed.reshape(*packed.shape[:-2], -1)
    padding = [(0, 0)] * (flat.ndim - 1) + [(0, -flat.shape[-1] % 8)]
    return np.pad(flat, padding).view(np.uint64)


def _count(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of set bits along the last axis."""
    return np.bitwise_count(words).sum(axis=-1, dtype=np.int64)


@cache
def _c_log2_c(largest: int) -> NDArray[np.int64]:
    """Return c log2 c for c = 0 to `largest`, in units of 2**-24 bit.

    From `decimal`, whose logarithm is correctly rounded everywhere; the last bits of numpy's
    depend on the processor.
    """
    log2 = Decimal(2).ln()
    table = [
        int((c * Decimal(c).ln() / log2 * _FRACTION).to_integral_value()) if c else 0
        for c in range(largest + 1)
    ]
    return np.array(table, np.int64)
