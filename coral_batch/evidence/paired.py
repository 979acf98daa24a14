"""Compare two models on the same problems: pass@k, difference, and whether it may be noise.

Intervals are percentile intervals of a two-stage bootstrap (Davison and Hinkley 1997, section 3.8).
Stage one draws programs with replacement, the same for both models, each with all of its bugs,
since bugs of one program are similar. Stage two draws samples within each problem, separately for
each model. With eight problems and eight samples, stage one on its own gives 95 % intervals that
hold the true difference in 89 to 91 % of runs (BCa: 85 to 89 %). Stage two overstates the variance
a little, which makes it 96 to 99 % (docs/notebook.md), so an interval can be too wide. For pass@k
with k > 1 there is stage one only: repeated samples have fewer rare successes, which would shift
the interval.

If all samples of a problem are solved, or none, or there is only one, their spread is unknown and
stage two adds nothing. If few programs differ, the interval is then too narrow: four programs won
and none lost give one above 0. So a difference counts as more than noise only if the randomisation
test agrees, which needs at least six programs. It gives each program's difference a random sign
(Fisher 1935; Dror et al. 2018, section 3), as often as the bootstrap draws programs.

Intervals hold for problems like these; they do not say whether these are typical.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coral_batch.evidence.passk import DRAWS, LEVEL, pass_at_k
from coral_batch.records.problem import program_of
from coral_batch.seeding import generator

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
        unclear: the difference may be noise: its interval contains 0, or the randomisation test
            over programs gives p > 1 - `LEVEL`.
    """

    first: Estimate
    second: Estimate
    difference: Estimate
    unclear: bool


def compare(
    first: Outcomes, second: Outcomes, k: int, seed: int, purpose: str, *ids: str | int
) -> Paired:
    """Compare the pass@k of two models.

    Args:
        first: outcomes of the first model, at least one problem.
        second: of the second model on the same problems; numbers of samples may differ.
        k: that of pass@k, at most the samples of any problem.
        seed: the run's seed.
        purpose: purpose of the random numbers; see `coral_batch.seeding`.
        ids: as there.
    """
    if k > 1:
        left, right = (
            {problem: pass_at_k(row.samples, row.solved, k) for problem, row in model.items()}
            for model in (first, second)
        )
        return compare_means(left, right, seed, purpose, *ids)
    problems = sorted(first)
    models = [[outcomes[problem] for problem in problems] for outcomes in (first, second)]
    counts = [np.array([row.samples for row in rows] + [1]) for rows in models]
    shares = [np.array([row.solved / row.samples for row in rows] + [0.0]) for rows in models]
    stream = generator(seed, purpose, *ids)

    def drawn(model: int, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        # Drawing n samples with replacement from n with c solved gives Binomial(n, c / n) solved.
        samples = counts[model][chosen]
        solved: NDArray[np.float64] = stream.binomial(samples, shares[model][chosen]) / samples
        return solved

    return _paired(problems, [share[:-1] for share in shares], drawn, stream)


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
    left, right = (
        _estimate(value.mean(), of_model, 0.0, len(members))
        for value, of_model in zip(values, draws, strict=True)
    )
    gains = values[1] - values[0]
    gain = _estimate(gains.mean(), draws[1] - draws[0], -1.0, len(members))
    chance = _chance(gains, members, stream)
    return Paired(left, right, gain, gain.low <= 0 <= gain.high or chance > 1 - LEVEL)


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


def _estimate(value: float, draws: NDArray[np.float64], least: float, programs: int) -> Estimate:
    """Return a mean of values in [least, 1] with its interval, from its bootstrap draws."""
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    if np.ptp(draws) < 10**-_DECIMALS:
        # All programs are alike. Others may not be: a share of them that n programs can miss
        # (Clopper and Pearson 1934, for none of n).
        missed = 1 - ((1 - LEVEL) / 2) ** (1 / programs)
        low, high = low - missed * (low - least), high + missed * (1 - high)
    value, low, high = np.round([value, low, high], _DECIMALS).tolist()
    return Estimate(value + 0.0, low + 0.0, high + 0.0)
