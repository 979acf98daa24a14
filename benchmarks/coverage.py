"""How often an interval of the difference of two models holds the true one, by method.

Runs of a few problems are simulated, where the truth is known, and 95 % intervals of the difference
in pass@1 are taken by each method. The method of `coral_batch.evidence.paired` is `two stages`;
the others are those of textbooks, over the problems' differences. Chances of a problem being solved
are Beta(0.5, 0.7): mostly near 0 or 1, as with real problems.

    python -m benchmarks.coverage [PROBLEMS [SAMPLES [RUNS]]]
"""

from __future__ import annotations

import math
import sys
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from coral_batch.seeding import generator
from coral_batch.work.text import table

DRAWS = 600
Z = NormalDist().inv_cdf(0.975)
EFFECT = 0.3


def intervals(
    first: NDArray[np.int64], second: NDArray[np.int64], n: int, random: np.random.Generator
) -> dict[str, NDArray[np.float64]]:
    """Return each method's interval for one run: solved samples of n, a number a problem."""
    size = len(first)
    differences = (second - first) / n
    mean, error = differences.mean(), differences.std(ddof=1) / math.sqrt(size)
    chosen = random.integers(size, size=(DRAWS, size))
    drawn = differences[chosen]
    means = drawn.mean(axis=1)
    twice = (
        random.binomial(n, (second / n)[chosen]) - random.binomial(n, (first / n)[chosen])
    ).mean(axis=1) / n
    t = float(stats.t.ppf(0.975, size - 1))
    expanded = NormalDist().cdf(-math.sqrt(size / (size - 1)) * t)
    return {
        "two stages": np.quantile(twice, [0.025, 0.975]),
        "problems alone": np.quantile(means, [0.025, 0.975]),
        "expanded (Hesterberg 2015)": np.quantile(means, [expanded, 1 - expanded]),
        "BCa": _bca(differences, means),
        "bootstrap t": _studentised(mean, error, drawn),
        "Student's t": np.array([mean - t * error, mean + t * error]),
    }


def _bca(differences: NDArray[np.float64], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Efron 1987, with the acceleration from the jackknife."""
    size, mean = len(differences), differences.mean()
    left = (differences.sum() - differences) / (size - 1)
    pull = left.mean() - left
    if not pull.any():
        return np.array([mean, mean])
    below = np.mean(means < mean) + np.mean(means == mean) / 2
    bias = NormalDist().inv_cdf(min(max(below, 1 / DRAWS), 1 - 1 / DRAWS))
    acceleration = (pull**3).sum() / (6 * (pull**2).sum() ** 1.5)
    at = [NormalDist().cdf(bias + (bias + z) / (1 - acceleration * (bias + z))) for z in (-Z, Z)]
    return np.quantile(means, at)


def _studentised(mean: float, error: float, drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    errors = drawn.std(axis=1, ddof=1) / math.sqrt(drawn.shape[1])
    usable = errors > 0
    ratios = (drawn.mean(axis=1)[usable] - mean) / errors[usable]
    if not len(ratios):
        return np.array([mean, mean])
    low, high = np.quantile(ratios, [0.025, 0.975])
    return np.array([mean - high * error, mean - low * error])


def measure(problems: int, samples: int, runs: int) -> None:
    """Print the share of runs whose interval holds the truth, and the mean width."""
    rows: list[list[str]] = []
    for kind in ("no effect", "no mean effect", "an effect"):
        held: dict[str, list[bool]] = {}
        widths: dict[str, list[float]] = {}
        for run in range(runs):
            random = generator(1, "coverage", kind, problems, samples, run)
            chances, other = random.beta(0.5, 0.7, size=(2, problems))
            truth = 0.0
            changed = chances
            if kind == "no mean effect":
                changed = np.where(random.random(problems) < 0.3, other, chances)
            elif kind == "an effect":
                changed = chances + EFFECT * (1 - chances)
                truth = EFFECT * (1 - 0.5 / 1.2)
            first, second = random.binomial(samples, chances), random.binomial(samples, changed)
            for method, (low, high) in intervals(first, second, samples, random).items():
                held.setdefault(method, []).append(bool(low - 1e-12 <= truth <= high + 1e-12))
                widths.setdefault(method, []).append(float(high - low))
        for method, holding in held.items():
            rows.append([kind, method, f"{np.mean(holding):.3f}", f"{np.mean(widths[method]):.2f}"])
        rows.append([])
    print(f"{problems} problems, {samples} samples, {runs} runs")
    header = ("truth", "method", "holds it", "width")
    print(table(header, rows[:-1], left={"truth", "method"}))


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    measure(*(given + [8, 8, 2000][len(given) :]))
