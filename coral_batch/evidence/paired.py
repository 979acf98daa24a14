"""Two models on the same problems: pass@k, the difference, and how far chance alone carries.

The intervals are percentile intervals of a bootstrap in two stages (Davison and Hinkley 1997,
section 3.8): problems are drawn with replacement, the same ones for both models, and then the
samples within each problem, for each model its own. With eight problems and eight samples the
problems alone give 95 % intervals that hold the true difference in 89 to 91 % of runs, with BCa in
85 to 89 %; the second stage overstates the variance a little and makes up for it: 96 to 99 %
(`python -m benchmarks.coverage`). An interval can thus be wider than need be.

Not here: whether the problems are typical of any others. An interval speaks of problems like these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from coral_batch.evidence.passk import pass_at_k
from coral_batch.seeding import generator

LEVEL = 0.95
POWER = 0.8
DRAWS = 10_000


@dataclass(frozen=True)
class Outcome:
    """How a model did on one problem: `solved` of its `samples` pass all cases."""

    samples: int
    solved: int


Outcomes = Mapping[str, Outcome]
"""Problem -> outcome, for one model."""


@dataclass(frozen=True)
class Estimate:
    """A value and its interval at `LEVEL`; low <= high."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Paired:
    """One metric of two models on the same problems.

    Attributes:
        first: of the first model, in [0, 1].
        second: of the second model, in [0, 1].
        difference: second minus first, in [-1, 1].
        probability: share of the bootstrap draws in which the second is ahead, ties counted half.
        overlap: the intervals of the two overlap. They may do so although the difference is clear,
            since they leave out that the problems are the same.
        unclear: the interval of the difference contains 0: chance alone can explain it.
    """

    first: Estimate
    second: Estimate
    difference: Estimate
    probability: float
    overlap: bool
    unclear: bool


@dataclass(frozen=True)
class Needed:
    """How much would tell a true difference as large as the one observed from none.

    Attributes:
        problems: problems of this kind, with as many samples as now; None: no difference was seen,
            or there is one sample a problem, which says nothing about its own spread.
        samples: samples a problem, with these problems; None likewise, or where no number would do.
    """

    problems: int | None
    samples: int | None


def compare(
    first: Outcomes, second: Outcomes, k: int, seed: int, purpose: str, *ids: str | int
) -> Paired:
    """Compare the pass@k of two models.

    Args:
        first: outcomes of the first model, at least one problem.
        second: of the second model on the same problems; numbers of samples may differ.
        k: samples that one may choose, at most the samples of any problem. Intervals are fair for
            k up to half of them: repeated samples make the second stage miss the rare success.
        seed: the run's seed.
        purpose: what the random stream is for; see `coral_batch.seeding`.
        ids: what it belongs to.

    Raises:
        ValueError: the problems differ, or there are none.
    """
    problems = _shared(first, second)
    stream = generator(seed, purpose, *ids)
    chosen = stream.integers(len(problems), size=(DRAWS, len(problems)))
    values, draws = [], []
    for outcomes in (first, second):
        rows = [outcomes[problem] for problem in problems]
        values.append(np.mean([pass_at_k(row.samples, row.solved, k) for row in rows]))
        draws.append(_draw(rows, k, chosen, stream).mean(axis=1))
    difference = draws[1] - draws[0]
    gain = _estimate(float(values[1] - values[0]), difference)
    left, right = (
        _estimate(float(value), drawn) for value, drawn in zip(values, draws, strict=True)
    )
    # Sums of the same terms in another order differ by a rounding; that is no lead.
    ahead, tied = difference > 1e-12, np.abs(difference) <= 1e-12
    return Paired(
        left,
        right,
        gain,
        float(ahead.mean() + tied.mean() / 2),
        overlap=left.low <= right.high and right.low <= left.high,
        unclear=gain.low <= 0 <= gain.high,
    )


def needed(first: Outcomes, second: Outcomes) -> Needed:
    """Return what it would take to tell the observed difference in pass@1 from none.

    That is, to find it at `LEVEL` in `POWER` of all runs if it is the true one. Sample sizes by
    Miller 2024, "Adding Error Bars to Evals" (arXiv:2411.00640, section 5): with w the variance of
    a problem's true difference and s_A, s_B those of a sample,
    problems = (z_level + z_power)^2 (w + s_A / n_A + s_B / n_B) / difference^2.

    Args:
        first: outcomes of the first model.
        second: of the second model on the same problems.

    Raises:
        ValueError: the problems differ, or there are none.
    """
    problems = _shared(first, second)
    pairs = [(first[problem], second[problem]) for problem in problems]
    differences = np.array([b.solved / b.samples - a.solved / a.samples for a, b in pairs])
    gain = float(differences.mean())
    few = len(problems) < 2 or any(row.samples < 2 for pair in pairs for row in pair)
    if few or abs(gain) <= 1e-12:
        return Needed(None, None)
    # The mean over problems of s / n, and of s itself for n samples of either model.
    within = float(np.mean([_variance(a) / a.samples + _variance(b) / b.samples for a, b in pairs]))
    once = float(np.mean([_variance(a) + _variance(b) for a, b in pairs]))
    between = max(0.0, float(differences.var(ddof=1)) - within)
    normal = NormalDist()
    z = normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(POWER)
    enough = (gain / z) ** 2
    room = enough * len(problems) - between
    return Needed(
        max(2, math.ceil((between + within) / enough)),
        max(1, math.ceil(once / room)) if room > 0 else None,
    )


def _shared(first: Outcomes, second: Outcomes) -> list[str]:
    if not first or first.keys() != second.keys():
        raise ValueError(f"expected the same problems, found {sorted(first)} and {sorted(second)}")
    return sorted(first)


def _draw(
    rows: list[Outcome], k: int, chosen: NDArray[np.int64], stream: np.random.Generator
) -> NDArray[np.float64]:
    """Draw the samples of each chosen problem anew, and return their pass@k.

    n samples drawn with replacement from n of which c are solved hold Binomial(n, c / n) solved.
    """
    samples = np.array([row.samples for row in rows])
    shares = np.array([row.solved / row.samples for row in rows])
    solved = stream.binomial(samples[chosen], shares[chosen])
    table = np.full((len(rows), samples.max() + 1), np.nan)
    for index, row in enumerate(rows):
        table[index, : row.samples + 1] = [
            pass_at_k(row.samples, count, k) for count in range(row.samples + 1)
        ]
    return table[chosen, solved]


def _estimate(value: float, draws: NDArray[np.float64]) -> Estimate:
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high))


def _variance(row: Outcome) -> float:
    """Return the unbiased variance of whether a sample is solved."""
    share = row.solved / row.samples
    return share * (1 - share) * row.samples / (row.samples - 1)
