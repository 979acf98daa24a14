"""Make correlated features uniform: a triangular (Rosenblatt) transport to the unit cube.

u1 = F1(f1), u2 = F2(f2 | u1), u3 = F3(f3 | u1, u2), u4 = F4(f4 | u1, u2, u3), where F is a
distribution function over random genomes and the bar means: among the genomes near these u
(Rosenblatt 1952, Remarks on a multivariate transformation). Unlike quantiles taken feature by
feature, this is uniform on the whole cube although the features depend on one another.

Each condition axis is cut into bins; every cell of bins holds one distribution function, as
quantiles, and between the centres of the cells the functions are interpolated linearly. So the
map is continuous: a small change of the features moves u a little (it jumps only where a cell has
equal features, which are rare). Interpolation leaves some unevenness. A second transport removes
it, estimated on the results of the first with the features in reversed order. Measured with 16,384
automata and 6 bins on 60,000 fresh automata: the 216 heavy combinations of CORAL-X's candidates
come up 0.23 to 1.93 times as often as they should after one round, 0.67 to 1.49 times after two.

The transport only sorts, adds, multiplies and divides doubles in a fixed order. IEEE 754 rounds
these alike on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROUNDS = 2
# Quantiles kept of each distribution function: 0 %, 6.25 %, ... 100 %.
QUANTILES = 17


@dataclass(frozen=True)
class Transport:
    """The estimated distribution functions.

    Attributes:
        bins: bins along each axis before the last feature; see `_axis_bins` for the others.
        rounds: one tuple per round with one (cells, QUANTILES) array per feature, in the round's
            order: ascending quantiles of the feature in each cell of the features before it, the
            first of those most significant.
    """

    bins: int
    rounds: tuple[tuple[NDArray[np.float64], ...], ...]

    def __call__(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map (n, d) features to (n, d) coordinates in [0, 1].

        A feature beyond the outermost quantiles of its cell gets 0 or 1.
        """
        for index, curves in enumerate(self.rounds):
            features = _in_order(index, _apply(curves, _in_order(index, features), self.bins))
        return features

    def to_plain(self) -> dict[str, Any]:
        """Return the transport as numbers and lists, ready for JSON."""
        rounds = [[curves.tolist() for curves in round_] for round_ in self.rounds]
        return {"bins": self.bins, "rounds": rounds}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Transport:
        """Return the transport that `to_plain` wrote."""
        rounds = tuple(
            tuple(np.array(curves, np.float64) for curves in round_) for round_ in plain["rounds"]
        )
        return cls(plain["bins"], rounds)


def estimate(features: NDArray[np.float64], bins: int) -> Transport:
    """Estimate the transport that makes features uniform.

    Args:
        features: (n, d) array, with several automata for each of the bins**(d - 1) cells.
        bins: bins along each axis before the last feature.
    """
    dimensions = features.shape[1]
    rounds = []
    for index in range(ROUNDS):
        ordered = _in_order(index, features)
        curves = tuple(
            _curves(ordered[:, : depth + 1], bins, dimensions) for depth in range(dimensions)
        )
        features = _in_order(index, _apply(curves, ordered, bins))
        rounds.append(curves)
    return Transport(bins, tuple(rounds))


def _in_order(round_: int, columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Reverse the columns in every second round; its own inverse."""
    return columns[:, ::-1] if round_ % 2 else columns


def _axis_bins(bins: int, depth: int, dimensions: int) -> int:
    """Return the bins along each of `depth` condition axes.

    There are about bins**(dimensions - 1) cells at every depth: fewer axes get finer bins, with the
    same number of automata in a cell.
    """
    return round(bins ** ((dimensions - 1) / depth)) if depth else 1


def _curves(columns: NDArray[np.float64], bins: int, dimensions: int) -> NDArray[np.float64]:
    """Return the quantiles of the last column in each cell of the columns before it.

    The cells cut each axis, within the cells so far, into bins of equally many rows.
    """
    depth = columns.shape[1] - 1
    axis_bins = _axis_bins(bins, depth, dimensions)
    cell = np.zeros(len(columns), np.int64)
    for axis in range(depth):
        refined = np.empty_like(cell)
        for index, rows in enumerate(_rows_by_cell(cell, columns[:, axis], axis_bins**axis)):
            refined[rows] = index * axis_bins + np.arange(len(rows)) * axis_bins // len(rows)
        cell = refined
    levels = np.arange(QUANTILES) / (QUANTILES - 1)
    groups = _rows_by_cell(cell, columns[:, depth], axis_bins**depth)
    return np.stack([np.quantile(columns[rows, depth], levels) for rows in groups])


def _rows_by_cell(
    cell: NDArray[np.int64], values: NDArray[np.float64], cells: int
) -> list[NDArray[np.int64]]:
    """Return the row numbers of each cell, ordered by value."""
    order = np.lexsort((values, cell))
    return np.split(order, np.searchsorted(cell[order], np.arange(1, cells)))


def _apply(
    curves: tuple[NDArray[np.float64], ...], features: NDArray[np.float64], bins: int
) -> NDArray[np.float64]:
    """Apply one round to (n, d) features in the round's order."""
    uniform = np.zeros(features.shape)
    for depth, table in enumerate(curves):
        axis_bins = _axis_bins(bins, depth, len(curves))
        position = np.clip(uniform[:, :depth] * axis_bins - 0.5, 0, axis_bins - 1)
        lower = position.astype(np.int64)
        upper_share = position - lower
        for corner in product((0, 1), repeat=depth):
            cell = np.zeros(len(features), np.int64)
            share = np.ones(len(features))
            for axis, side in enumerate(corner):
                # At the last centre the upper neighbour is missing and its share is 0.
                cell = cell * axis_bins + np.minimum(lower[:, axis] + side, axis_bins - 1)
                share = share * (upper_share[:, axis] if side else 1 - upper_share[:, axis])
            uniform[:, depth] += share * _distribution(table[cell], features[:, depth])
        # The shares may sum to one unit in the last place more than 1.
        uniform[:, depth] = np.minimum(uniform[:, depth], 1)
    return uniform


def _distribution(
    quantiles: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Evaluate each row's distribution function, linear between its quantiles, at its value.

    Args:
        quantiles: (n, QUANTILES) array, each row ascending.
        values: (n,) array.
    """
    upper = np.clip((quantiles < values[:, None]).sum(axis=1), 1, QUANTILES - 1)
    rows = np.arange(len(values))
    start, end = quantiles[rows, upper - 1], quantiles[rows, upper]
    gap = end - start
    # Between equal quantiles the function jumps.
    fraction = np.where(gap > 0, (values - start) / np.where(gap > 0, gap, 1), values > end)
    return (upper - 1 + np.clip(fraction, 0, 1)) / (QUANTILES - 1)
