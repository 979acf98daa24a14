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

Not here: what a genome's coordinates are, and what it scored. Fitting takes a time that grows with
the cube of the number of genomes evaluated: for runs of thousands, `evolution.screen` is 1.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Evolution
from coral_batch.search import variation
from coral_batch.search.genome import genome_id, random_genome
from coral_batch.seeding import generator

# Of the fitted kernel, whose parameters are logarithms, and of the expected improvement: what the
# last bits of an optimizer or of a linear algebra library are decides nothing.
KERNEL_DECIMALS = 2
DECIMALS = 9

# In units of the worth and of the coordinates, both in [0, 1]: where the fit begins, and its
# bounds. Few genomes would fit a landscape without noise, or one of spikes, or a flat one.
VARIANCE = (0.02, (1e-3, 0.2))
LENGTH_SCALE = (0.6, (0.2, 3.0))
NOISE = (0.0025, (2e-4, 0.05))


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
    if not survivors:
        raise ValueError("expected at least one survivor, found none")
    screen = Screen(known.coordinates, known.worth)
    population = list(survivors)
    for index in range(settings.population - len(survivors)):
        drawn = candidates(survivors, population, generation, index, settings, seed)
        chosen = screen.choose(known.locate(drawn))
        population.append(replace(drawn[chosen], id=genome_id(generation, index)))
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
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):  # several threads may sum in another order every time
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
    """Return the kernel of the greatest likelihood within the bounds: Matern 5/2 and noise.

    One length scale a coordinate, so that one that decides nothing is left out of account.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
    from threadpoolctl import threadpool_limits

    scale, bounds = LENGTH_SCALE
    smooth = Matern([scale] * coordinates.shape[1], bounds, nu=2.5)
    kernel = ConstantKernel(*VARIANCE) * smooth + WhiteKernel(*NOISE)
    with threadpool_limits(1), warnings.catch_warnings():
        # It warns of every parameter that ends at a bound, which is what the bounds are for.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = GaussianProcessRegressor(kernel).fit(coordinates, values).kernel_
    return fitted.clone_with_theta(np.round(fitted.theta, KERNEL_DECIMALS))
