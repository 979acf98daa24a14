"""Screen newborn genomes: of many that could be born, train the one that promises most.

To simulate an automaton costs nothing beside training an adapter. So for every place of a
population many candidates are simulated, and a Gaussian process over all genomes that the run has
evaluated says which of them is worth its training: the one of the greatest expected improvement
(Jones, Schonlau and Welch 1998, Efficient global optimization of expensive black-box functions).
Half of the candidates are children, bred as without a screen; the others are drawn at random, so
that the search can leave where it is.

Places are filled one after another. What is chosen for one counts for the next as if it had scored
what is predicted of it, which keeps siblings apart (Ginsbourger, Le Riche and Carraro 2010, Kriging
is well-suited to parallelize optimization: the kriging believer).

Not here: what a genome's coordinates are, and what it scored. The time grows with the cube of the
number of genomes evaluated: 1 s a generation for 400 of them, 7 s for 1000. A run of tens of
thousands needs `evolution.screen: 1`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Evolution
from coral_batch.search import variation
from coral_batch.search.genome import random_genome
from coral_batch.search.ids import genome_id
from coral_batch.seeding import generator

# Of the fitted kernel, whose parameters are logarithms, and of the expected improvement: what the
# last bits of an optimizer or of a linear algebra library are decides nothing.
KERNEL_DECIMALS = 2
DECIMALS = 9

# What is expected of the landscape before anything is known: the median of each parameter, in units
# of the worth and of the coordinates, both in [0, 1], and the standard deviation of its logarithm.
# Noise and variance are those of a score on some tens of bugs. The likelihood of a dozen genomes
# alone is greatest for whatever their luck looks like; on simulated landscapes of 16 genomes the
# lead over chance was half as large again with this prior.
VARIANCE = (0.02, 1.5)
LENGTH_SCALE = (0.6, 0.5)
NOISE = (0.0025, 1.0)
# Far from all that the prior leaves likely.
BOUNDS = (1e-6, 1e3)


@dataclass(frozen=True)
class Known:
    """What a run knows of the genomes that it has evaluated, and where others would stand.

    Attributes:
        coordinates: (n, 4) array, each in [0, 1].
        worth: (n,) array, what selection maximises.
        locate: returns the (m, 4) coordinates of m genomes.
    """

    coordinates: NDArray[np.float64]
    worth: NDArray[np.float64]
    locate: Callable[[Sequence[Genome]], NDArray[np.float64]]


def breed(
    survivors: Sequence[Genome], generation: int, settings: Evolution, known: Known, seed: int
) -> tuple[Genome, ...]:
    """Return the population of a generation: the survivors, then the newborn.

    Args:
        survivors: at least one genome, the best first.
        generation: the one that is born.
        settings: population, crossover, mutation, and the candidates of each place.
        known: the genomes evaluated so far.
        seed: the run's seed.

    Raises:
        ValueError: there is no survivor.
    """
    # Loaded first: a limit is set for the libraries that are there.
    import sklearn.gaussian_process  # noqa: F401
    from threadpoolctl import threadpool_limits

    population = list(survivors)
    with threadpool_limits(1):  # several threads may sum in another order every time
        screen = Screen(known.coordinates, known.worth)
        for index in range(settings.population - len(survivors)):
            drawn = candidates(survivors, population, generation, index, settings, seed)
            population.append(drawn[screen.choose(known.locate(drawn))])
    return tuple(population)


def candidates(
    survivors: Sequence[Genome],
    population: Sequence[Genome],
    generation: int,
    index: int,
    settings: Evolution,
    seed: int,
) -> list[Genome]:
    """Return the candidates of a place: children and genomes drawn at random in turn.

    Each draws from a stream of its own, a child its parents as well.

    Args:
        survivors: who breeds, the best first.
        population: whose genes no child has.
        generation: the one that is born.
        index: the place among the newborn.
        settings: crossover, mutation and the number of candidates.
        seed: the run's seed.
    """
    taken = {genome.genes for genome in population}
    name = genome_id(generation, index)
    drawn = []
    for number in range(settings.screen):
        random = generator(seed, "screen", generation, index, number)
        drawn.append(
            random_genome(name, random)
            if number % 2
            else variation.child(name, survivors, taken, settings, random)
        )
    return drawn


class Screen:
    """Chooses among candidates, one place after another, and remembers what it chose.

    Where fewer than two genomes are known, or all are worth the same, there is nothing to learn
    from and the first candidate is chosen.

    Args:
        coordinates: (n, 4) array, those of the genomes evaluated.
        worth: (n,) array, of the same genomes.
    """

    def __init__(self, coordinates: NDArray[np.float64], worth: NDArray[np.float64]) -> None:
        self._informed = len(worth) > 1 and float(np.ptp(worth)) > 0
        if not self._informed:
            return
        self._coordinates = coordinates
        self._values = worth - worth.mean()
        self._kernel = _fit_kernel(coordinates, self._values)
        # Not the best worth, which owes something to luck.
        self._best = float(self._predict(coordinates)[0].max())

    def choose(self, coordinates: NDArray[np.float64]) -> int:
        """Return which candidate has the greatest expected improvement; of equals the first.

        The best of those evaluated stays what is to be improved on, whatever is predicted here.

        Args:
            coordinates: (m, 4) array, m >= 1.
        """
        if not self._informed:
            return 0
        mean, spread = self._predict(coordinates)
        chosen = int(np.argmax(np.round(expected_improvement(mean, spread, self._best), DECIMALS)))
        self._coordinates = np.vstack([self._coordinates, coordinates[chosen]])
        self._values = np.append(self._values, mean[chosen])
        return chosen

    def _predict(
        self, coordinates: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean and standard deviation of the landscape, given what is known and believed."""
        from sklearn.gaussian_process import GaussianProcessRegressor

        process = GaussianProcessRegressor(self._kernel, optimizer=None)
        process.fit(self._coordinates, self._values)
        mean, total = process.predict(coordinates, return_std=True)
        # Without the noise of an evaluation, which is luck and no improvement.
        landscape = total**2 - self._kernel.k2.noise_level
        return mean, np.sqrt(np.maximum(landscape, 1e-12))


def expected_improvement(
    mean: NDArray[np.float64], spread: NDArray[np.float64], best: float
) -> NDArray[np.float64]:
    """Return by how much values drawn from normal distributions exceed the best, on average.

    (m - b) Phi(z) + s phi(z) with z = (m - b) / s: Jones, Schonlau and Welch 1998, equation 15.

    Args:
        mean: (m,) array.
        spread: (m,) array of standard deviations, > 0.
        best: what is to be exceeded.
    """
    from scipy.special import ndtr

    ahead = mean - best
    z = ahead / spread
    return ahead * ndtr(z) + spread * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)


def _fit_kernel(coordinates: NDArray[np.float64], values: NDArray[np.float64]) -> Any:
    """Return the likeliest kernel given the values and the prior: Matern 5/2 and noise.

    One length scale a coordinate, so that one that decides nothing can be left out of account.
    """
    from scipy.optimize import minimize
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    axes = coordinates.shape[1]
    smooth = Matern([LENGTH_SCALE[0]] * axes, BOUNDS, nu=2.5)
    kernel = ConstantKernel(VARIANCE[0], BOUNDS) * smooth + WhiteKernel(NOISE[0], BOUNDS)
    widths = np.array([VARIANCE[1], *[LENGTH_SCALE[1]] * axes, NOISE[1]])

    def maximise(
        loss: Callable[..., Any], medians: NDArray[np.float64], bounds: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float]:
        """Add the logarithm of the prior to that of the likelihood."""

        def with_prior(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            value, gradient = loss(theta, eval_gradient=True)
            away = (theta - medians) / widths
            return value + (away**2).sum() / 2, gradient + away / widths

        found = minimize(with_prior, medians, jac=True, method="L-BFGS-B", bounds=bounds)
        return found.x, float(found.fun)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of what ends near a bound
        process = GaussianProcessRegressor(kernel, optimizer=maximise)
        fitted = process.fit(coordinates, values).kernel_
    return fitted.clone_with_theta(np.round(fitted.theta, KERNEL_DECIMALS))
