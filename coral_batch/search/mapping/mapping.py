"""Map features to an adapter configuration and generation knobs.

The mapping is the same on every machine. It is calibrated: random genomes reach every combination
of candidates about equally often. It keeps neighbourhoods: each feature, made uniform, steps
through the combinations of its own genes in reflected Gray order, where neighbours differ by one
step of one gene. The genes of the adapter come first and change slowly, so a small change of
features mostly changes a knob, if knobs have several candidates, which needs no training.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.settings import Automata, Calibration, Candidates
from coral_batch.search.automata.features import FEATURES, features_of
from coral_batch.search.genome import random_genome
from coral_batch.search.ids import genome_id
from coral_batch.search.mapping.transport import Transport, estimate
from coral_batch.seeding import generator

# Which genes each feature decides, the most significant first.
GENES = {
    "complexity": ("r", "top_k"),
    "intensity": ("lora_alpha", "temperature"),
    "periodicity": ("target_modules", "repetition_penalty"),
    "convergence": ("method", "lora_dropout", "top_p"),
}


def calibrate(automata: Automata, calibration: Calibration, seed: int) -> Transport:
    """Estimate the distribution of the features over `calibration.automata` random genomes.

    Args:
        automata: the cellular automata's size and steps.
        calibration: at least as many automata as its bins need.
        seed: the run's seed.
    """
    genomes = [
        random_genome(genome_id(0, index), generator(seed, "calibration", index))
        for index in range(calibration.automata)
    ]
    return estimate(features_of(genomes, automata), calibration.bins)


def decode(
    uniform: NDArray[np.float64], candidates: Candidates
) -> list[tuple[AdapterConfiguration, Knobs]]:
    """Decode coordinates; uniform ones reach every combination equally often.

    Args:
        uniform: (n, 4) array of coordinates in [0, 1], in the order of `FEATURES`.
        candidates: the possible values of each gene, in natural order.
    """
    columns: dict[str, list[Any]] = {}
    for feature, u in zip(FEATURES, uniform.T, strict=True):
        genes = [getattr(candidates, gene) for gene in GENES[feature]]
        radices = tuple(len(choices) for choices in genes)
        combinations = prod(radices)
        position = np.minimum((u * combinations).astype(np.int64), combinations - 1)
        for gene, choices, digits in zip(
            GENES[feature], genes, gray_digits(position, radices), strict=True
        ):
            columns[gene] = [choices[digit] for digit in digits]
    return [
        _configuration(dict(zip(columns, row, strict=True)))
        for row in zip(*columns.values(), strict=True)
    ]


def gray_digits(positions: NDArray[np.int64], radices: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """Return the digits of positions in the reflected mixed-radix Gray code.

    A digit runs backwards wherever the number formed by the digits before it is odd, so that
    neighbouring positions differ by 1 in exactly one digit (Knuth, The Art of Computer
    Programming 4A, section 7.2.1.1, reflected mixed-radix Gray paths).

    Args:
        positions: (n,) array in [0, product of radices).
        radices: number of values of each digit, the most significant first.

    Returns:
        One (n,) array per digit.
    """
    digits = []
    for index, radix in enumerate(radices):
        before, digit = np.divmod(positions // prod(radices[index + 1 :]), radix)
        digits.append(np.where(before % 2, radix - 1 - digit, digit))
    return digits


def _configuration(genes: dict[str, Any]) -> tuple[AdapterConfiguration, Knobs]:
    adapter = AdapterConfiguration(
        r=genes["r"],
        lora_alpha=genes["lora_alpha"],
        lora_dropout=genes["lora_dropout"],
        target_modules=tuple(sorted(genes["target_modules"])),
        use_dora=genes["method"] == "dora",
    )
    knobs = Knobs(
        temperature=genes["temperature"],
        top_p=genes["top_p"],
        top_k=genes["top_k"],
        repetition_penalty=genes["repetition_penalty"],
    )
    return adapter, knobs
