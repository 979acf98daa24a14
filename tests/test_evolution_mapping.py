"""The calibrated mapping from features to configurations: coverage, locality, exactness."""

import json
from collections import Counter
from dataclasses import asdict
from itertools import product

import numpy as np
import pytest

from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.settings import Automata, Calibration, Candidates, Evolution
from coral_batch.search.automata.features import features
from coral_batch.search.automata.simulation import simulate
from coral_batch.search.genome import random_population
from coral_batch.search.mapping.mapping import calibrate, decode
from coral_batch.search.mapping.transport import Transport

AUTOMATA = Automata(height=32, width=32, steps=48)
CANDIDATES = Candidates(
    r=(4, 8, 16),
    lora_alpha=(8, 16, 32),
    lora_dropout=(0.0, 0.05, 0.1),
    target_modules=(("q_proj", "v_proj"), ("k_proj", "q_proj"), ("up_proj",), ("a", "b", "c")),
    method=("lora", "dora"),
    temperature=(0.2, 0.4, 0.6, 0.8),
    top_p=(0.9, 0.95, 1.0),
    top_k=(20, 50),
    repetition_penalty=(1.0, 1.05),
)
HEAVY = 3 * 3 * 3 * 4 * 2


@pytest.fixture(scope="module")
def transport() -> Transport:
    return calibrate(AUTOMATA, Calibration(automata=12288, bins=6), seed=1)


@pytest.fixture(scope="module")
def fresh() -> np.ndarray:
    """Features of random genomes that the calibration has not seen."""
    population = Evolution(
        population=8000, survivors=2, crossover=0.7, mutation=0.08, select="fitness", inherit=False
    )
    return features(simulate(random_population(population, seed=99), AUTOMATA))


def digits(configuration: tuple[AdapterConfiguration, Knobs]) -> tuple[int, ...]:
    """The number of the candidate that each gene took."""
    adapter, knobs = configuration
    chosen = asdict(adapter) | asdict(knobs)
    chosen["method"] = "dora" if chosen.pop("use_dora") else "lora"
    return tuple(getattr(CANDIDATES, gene).index(value) for gene, value in sorted(chosen.items()))


@pytest.mark.slow
def test_every_heavy_combination_comes_up_about_equally_often(transport, fresh):
    counts = Counter(adapter for adapter, _ in decode(transport(fresh), CANDIDATES))
    share = np.array(list(counts.values())) * HEAVY / len(fresh)
    assert len(counts) == HEAVY
    assert share.min() > 0.35
    assert share.max() < 1.9
    # A perfect mapping's share has a standard deviation of sqrt(216 / 8000) = 0.16.
    assert share.std() < 0.26


def test_every_candidate_of_every_gene_comes_up_equally_often(transport, fresh):
    chosen = np.array([digits(c) for c in decode(transport(fresh), CANDIDATES)])
    for gene, column in zip(sorted(asdict(CANDIDATES)), chosen.T, strict=True):
        candidates = len(getattr(CANDIDATES, gene))
        share = np.bincount(column, minlength=candidates) * candidates / len(fresh)
        assert np.abs(share - 1).max() < 0.12, gene


def test_a_small_change_of_features_is_at_most_one_step_of_each_gene(transport, fresh):
    nudge = np.random.default_rng(5).uniform(-1e-6, 1e-6, fresh.shape)
    before = np.array([digits(c) for c in decode(transport(fresh), CANDIDATES)])
    after = np.array([digits(c) for c in decode(transport(fresh + nudge), CANDIDATES)])
    assert np.abs(after - before).max() <= 1
    assert (after == before).all(axis=1).mean() > 0.98


def test_the_calibration_survives_json(transport, fresh):
    read = Transport.from_plain(json.loads(json.dumps(transport.to_plain())))
    np.testing.assert_array_equal(read(fresh), transport(fresh))


def test_the_mapping_is_the_same_for_any_population_around_a_genome(transport, fresh):
    assert decode(transport(fresh[7:8]), CANDIDATES)[0] == (decode(transport(fresh), CANDIDATES)[7])


def test_features_outside_the_calibration_stay_in_the_cube(transport):
    corners = np.array(list(product((0.0, 1.0), repeat=4)))
    uniform = transport(corners)
    assert (uniform >= 0).all()
    assert (uniform <= 1).all()
