"""Compare two models on the same problems: pass@k, difference, and whether it may be noise.

Intervals are percentile intervals of a two-stage bootstrap (Davison and Hinkley 1997, section 3.8).
Stage one draws programs with replacement, the same for both models, each with all of its bugs,
since bugs of one program are similar. Stage two draws samples within each problem, separately for
each model. With eight problems and eight samples, stage one on its own gives 95 % intervals that
hold the true difference in 89 to 91 % of runs (BCa: 85 to 89 %). Stage two overstates the variance
a little, which makes it 96 to 99 % (docs/notebook.md), so an interval can be too wide.

If all samples of a problem are solved, or none, or there is only one, their spread is unknown and
stage two adds nothing. If few programs differ, the interval is then too narrow: four programs won
and none lost give one above 0. So a difference counts as more than noise only if the randomisation
test agrees. It gives each program's difference a random sign (Fisher 1935; Dror et al. 2018,
section 3), as often as the bootstrap draws programs.

Intervals hold for problems like these; they do not say whether these are typical.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from coral_batch.evidence.passk import DRAWS, LEVEL, pass_at_k
from coral_batch.records.problem import program_of
from coral_batch.seeding import generator

POWER = 0.8
# Sums in another order differ by rounding, which is no difference.
_DECIMALS = 12
# Draws per batch, which bounds memory.
_AT_ONCE = 500


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
    """One metric of two models on the same problems, a mean over these.

    Attributes:
        first: of the first model, in [0, 1].
        second: of the second model, in [0, 1].
        difference: second minus first, in [-1, 1].
        probability: share of the bootstrap draws in which the second is ahead, ties counted half.
        unclear: the difference may be noise: its interval contains 0, or the randomisation test
            over programs gives p > 1 - `LEVEL`.
    """

    first: Estimate
    second: Estimate
    difference: Estimate
    probability: float
    unclear: bool


@dataclass(frozen=True)
class Needed:
    """Sample sizes that would detect a true difference as large as the observed one.

    Attributes:
        problems: problems, with as many samples each as now; None if no difference was seen or
            there is only one program.
        samples: samples per problem, with the same problems; None likewise, or if there is only one
            sample per problem, whose spread is unknown, or if no number is enough.
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
        k: that of pass@k, at most the samples of any problem. Intervals are accurate for k up to
            half of them: repeated samples make stage two miss rare successes.
        seed: the run's seed.
        purpose: purpose of the random numbers; see `coral_batch.seeding`.
        ids: as there.
    """
    problems = sorted(first)
    stream = generator(seed, purpose, *ids)
    models = [[outcomes[problem] for problem in problems] for outcomes in (first, second)]
    values = [np.array([pass_at_k(row.samples, row.solved, k) for row in rows]) for rows in models]
    counts = [np.array([row.samples for row in rows] + [0]) for rows in models]
    shares = [np.array([row.solved / row.samples for row in rows] + [0.0]) for rows in models]
    tables = [np.zeros((len(samples), samples.max() + 1)) for samples in counts]
    for rows, table in zip(models, tables, strict=True):
        for index, row in enumerate(rows):
            table[index, : row.samples + 1] = [
                pass_at_k(row.samples, count, k) for count in range(row.samples + 1)
            ]

    def drawn(model: int, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        # Drawing n samples with replacement from n with c solved gives Binomial(n, c / n) solved.
        solved = stream.binomial(counts[model][chosen], shares[model][chosen])
        return tables[model][chosen, solved]

    return _paired(problems, values, drawn, stream)


def compare_means(
    first: Mapping[str, float],
    second: Mapping[str, float],
    seed: int,
    purpose: str,
    *ids: str | int,
) -> Paired:
    """Compare the means of a measure that has one exact value per problem, such as a probability.

    There are no samples to draw: the bootstrap has stage one only.

    Args:
        first: problem -> value of the first model in [0, 1], at least one.
        second: of the second model on the same problems.
        seed: the run's seed.
        purpose: purpose of the random numbers; see `coral_batch.seeding`.
        ids: as there.
    """
    problems = sorted(first)
    values = [np.array([model[problem] for problem in problems]) for model in (first, second)]
    padded = [np.append(model, 0.0) for model in values]
    stream = generator(seed, purpose, *ids)
    return _paired(problems, values, lambda model, chosen: padded[model][chosen], stream)


def _paired(
    problems: Sequence[str],
    values: Sequence[NDArray[np.float64]],
    drawn: Callable[[int, NDArray[np.int64]], NDArray[np.float64]],
    stream: np.random.Generator,
) -> Paired:
    """Return the comparison of two models.

    Args:
        problems: the problems.
        values: of each model, its value of each problem.
        drawn: stage two: the values of a model, 0 or 1, of the problems of draws. These are a
            (draws, problems) array of indices, padded with the number of all problems, whose value
            is 0.
        stream: random numbers.
    """
    members = _members(problems)
    programs = stream.integers(len(members), size=(DRAWS, len(members)))
    means: list[list[NDArray[np.float64]]] = [[], []]
    for start in range(0, DRAWS, _AT_ONCE):
        some = programs[start : start + _AT_ONCE]
        chosen = members[some].reshape(len(some), -1)
        sizes = (chosen < len(problems)).sum(axis=1)
        for model, of_model in enumerate(means):
            of_model.append(drawn(model, chosen).sum(axis=1) / sizes)
    draws = [np.concatenate(of_model) for of_model in means]
    difference = np.round(draws[1] - draws[0], _DECIMALS)
    gain = _estimate(values[1].mean() - values[0].mean(), difference)
    left, right = (
        _estimate(value.mean(), of_model) for value, of_model in zip(values, draws, strict=True)
    )
    chance = _chance(values[1] - values[0], members, stream)
    return Paired(
        left,
        right,
        gain,
        float((difference > 0).mean() + (difference == 0).mean() / 2),
        unclear=gain.low <= 0 <= gain.high or chance > 1 - LEVEL,
    )


def needed(first: Outcomes, second: Outcomes) -> Needed:
    """Return the sample sizes that detect the observed difference in pass@1.

    That is, at `LEVEL` in `POWER` of all runs if it is the true difference. Sample sizes by
    Miller 2024, "Adding Error Bars to Evals" (arXiv:2411.00640, section 5): with w the variance of
    a problem's true difference and s_A, s_B those of a sample,
    problems = (z_level + z_power)^2 (w + s_A / n_A + s_B / n_B) / difference^2.

    Args:
        first: outcomes of the first model.
        second: of the second model on the same problems.
    """
    problems = sorted(first)
    pairs = [(first[problem], second[problem]) for problem in problems]
    differences = np.array([b.solved / b.samples - a.solved / a.samples for a, b in pairs])
    gain = float(differences.mean())
    members = _members(problems)
    if len(members) < 2 or abs(gain) <= 1e-12:
        return Needed(None, None)
    once_each = any(row.samples < 2 for pair in pairs for row in pair)
    # Means over problems of s / n and of s, for n samples of each model. The spread of one sample
    # is unknown: all variance counts as variance between problems.
    spreads = [] if once_each else [(_variance(a), _variance(b)) for a, b in pairs]
    within = sum(
        s_a / a.samples + s_b / b.samples
        for (s_a, s_b), (a, b) in zip(spreads, pairs, strict=False)
    ) / len(pairs)
    once = sum(s_a + s_b for s_a, s_b in spreads) / len(pairs)
    between = max(0.0, _clustered_variance(differences, members) - within)
    normal = NormalDist()
    z = normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(POWER)
    enough = (gain / z) ** 2
    room = enough * len(problems) - between
    return Needed(
        max(2, math.ceil((between + within) / enough)),
        max(1, math.ceil(once / room)) if room > 0 and not once_each else None,
    )


def _members(problems: Sequence[str]) -> NDArray[np.int64]:
    """Return the problems of each program, a (programs, most) array of indices.

    Programs with fewer problems are padded with ``len(problems)``.
    """
    by_program: dict[str, list[int]] = defaultdict(list)
    for index, problem in enumerate(problems):
        by_program[program_of(problem)].append(index)
    most = max(map(len, by_program.values()))
    padding = len(problems)
    return np.array([one + [padding] * (most - len(one)) for one in by_program.values()])


def _chance(
    differences: NDArray[np.float64], members: NDArray[np.int64], stream: np.random.Generator
) -> float:
    """Return the two-sided p-value of the randomisation test over programs."""
    of_programs = np.append(differences, 0.0)[members].sum(axis=1)
    seen = abs(of_programs.sum())
    as_far = 0
    for start in range(0, DRAWS, _AT_ONCE):
        count = min(_AT_ONCE, DRAWS - start)
        signs = 2 * stream.integers(2, size=(count, len(of_programs))) - 1
        as_far += int((np.abs(signs @ of_programs) >= seen - 10**-_DECIMALS).sum())
    # The observed value counts as a draw (Davison and Hinkley 1997, section 4.2).
    return (as_far + 1) / (DRAWS + 1)


def _clustered_variance(differences: NDArray[np.float64], members: NDArray[np.int64]) -> float:
    """Return the variance of a problem's difference, clustered by program.

    The number of problems times the squared standard error of their mean, clustered by program
    (Miller 2024, section 2.2); without clusters the sample variance.
    """
    deviations = np.append(differences - differences.mean(), 0.0)
    of_programs = deviations[members].sum(axis=1)
    programs = len(members)
    return float((of_programs**2).sum() / len(differences) * programs / (programs - 1))


def _estimate(value: float, draws: NDArray[np.float64]) -> Estimate:
    ends = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    value, low, high = np.round([value, *ends], _DECIMALS).tolist()
    return Estimate(value + 0.0, low + 0.0, high + 0.0)


def _variance(row: Outcome) -> float:
    """Return the unbiased variance of whether a sample is solved."""
    share = row.solved / row.samples
    return share * (1 - share) * row.samples / (row.samples - 1)
