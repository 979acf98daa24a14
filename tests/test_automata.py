"""Rules, simulation, features and pictures of the cellular automata."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Automata, Evolution
from coral_batch.search.automata.features import FEATURES, features, features_of
from coral_batch.search.automata.picture import draw
from coral_batch.search.automata.rule import format_rule, parse_rule
from coral_batch.search.automata.simulation import Histories, initial_grid, simulate
from coral_batch.search.genome import random_population

SETTINGS = Automata(height=32, width=32, steps=48)
POPULATION = Evolution(
    population=200, survivors=2, crossover=0.7, mutation=0.08, select="fitness", inherit=False
)


def genome(rule: str, grid_seed: int = 1, density: float = 0.4) -> Genome:
    return Genome("000-00", (), "random", rule, grid_seed, density)


def history(*grids: list[list[int]]) -> Histories:
    cells = np.array(grids, np.uint8)
    return Histories(np.packbits(cells, axis=-1)[None], cells.shape[2])


def measure(histories: Histories) -> dict[str, float]:
    return dict(zip(FEATURES, features(histories)[0].tolist(), strict=True))


def step_by_hand(grid: np.ndarray, rule: int) -> np.ndarray:
    """One step, cell by cell, from the definition of an outer-totalistic rule on a torus."""
    height, width = grid.shape
    following = np.zeros_like(grid)
    for y in range(height):
        for x in range(width):
            neighbours = sum(
                int(grid[(y + dy) % height, (x + dx) % width])
                for dy in (-1, 0, 1)
                for dx in (-1, 0, 1)
                if dy or dx
            )
            following[y, x] = rule >> (neighbours + 9 * int(grid[y, x])) & 1
    return following


def test_life_is_b3_s23():
    assert parse_rule("B3/S23") == 1 << 3 | 1 << 11 | 1 << 12


@given(st.integers(0, 2**18 - 1), st.integers(0, 2**32 - 1), st.integers(3, 11), st.integers(3, 11))
def test_a_step_follows_the_definition_on_any_torus(rule, grid_seed, height, width):
    settings = Automata(height, width, steps=2)
    cells = simulate([genome(format_rule(rule), grid_seed)], settings).cells(0)
    assert cells.shape == (3, height, width)
    for before, after in pairwise(cells):
        np.testing.assert_array_equal(after, step_by_hand(before, rule))


def test_an_automaton_does_not_depend_on_the_population_around_it():
    population = random_population(POPULATION, seed=3)
    alone = simulate(population[150:151], SETTINGS)
    together = simulate(population + population, SETTINGS)
    np.testing.assert_array_equal(alone.packed[0], together.packed[150])
    np.testing.assert_array_equal(alone.packed[0], together.packed[350])
    np.testing.assert_array_equal(features(alone)[0], features(together)[350])


def test_the_first_grid_is_the_same_on_every_machine():
    grid = initial_grid(genome("B3/S23", grid_seed=12345, density=0.5), Automata(2, 16, 1))
    assert ["".join(map(str, row)) for row in grid] == [
        "0101110001010100",
        "1010101110010001",
    ]


def test_features_are_the_same_on_every_machine():
    population = [genome("B3/S23"), genome("B36/S23", 2, 0.5), genome("B0/S", 3, 0.1)]
    measured = features(simulate(population, SETTINGS))
    assert [" ".join(value.hex() for value in row) for row in measured.tolist()] == [
        "0x1.4a8422709cbc1p-1 0x1.62b5555555555p-3 0x1.8d49882b93105p-1 0x1.f2862c2882ed8p-1",
        "0x1.6aad7bb4c3eb2p-1 0x1.a155555555555p-3 0x1.7cab931057262p-1 0x1.bdbe8c14cc4f8p-1",
        "0x1.579abd950a72fp-1 0x1.2bf8000000000p-1 0x1.fe6fa8d9df51bp-1 0x1.1f7047dc11f70p-4",
    ]


def test_features_lie_in_the_unit_interval_and_spread():
    measured = features(simulate(random_population(POPULATION, seed=3), SETTINGS))
    assert measured.shape == (200, 4)
    assert (measured >= 0).all()
    assert (measured <= 1).all()
    low, high = np.quantile(measured, [0.1, 0.9], axis=0)
    assert (high - low > 0.35).all()


def test_automata_measured_some_at_a_time_and_step_by_step_have_the_same_features(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    population, settings = random_population(POPULATION, seed=3)[:20], Automata(9, 11, 30)
    together = features(simulate(population, settings))
    np.testing.assert_array_equal(features_of(population, settings), together)
    for name in ("_MEASURED", "_SIMULATED"):
        monkeypatch.setattr(f"coral_batch.search.automata.features.{name}", 100)
    np.testing.assert_array_equal(features_of(population, settings), together)
    assert features_of([], settings).shape == (0, 4)


def test_a_uniform_grid_has_no_complexity_and_a_balanced_one_has_all():
    empty = [[0] * 4 for _ in range(4)]
    # A 4x4 de Bruijn torus: each of the 16 blocks of 2x2 cells occurs once.
    balanced = [[0, 0, 0, 1], [0, 0, 1, 0], [1, 0, 1, 1], [0, 1, 1, 1]]
    assert measure(history(empty, empty, empty))["complexity"] == 0
    assert measure(history(balanced, balanced, balanced))["complexity"] == 1


def test_blinking_cells_are_intense_and_periodic():
    on, off = [[1, 0, 1], [0, 1, 0]], [[0, 1, 0], [1, 0, 1]]
    measured = measure(history(on, off, on, off))
    assert measured["intensity"] == 1
    assert measured["periodicity"] == 1
    assert measured["convergence"] == 0.5


def test_the_drawing_shows_three_grids_in_half_blocks():
    cells = np.zeros((3, 3, 8), np.uint8)
    cells[0, 0] = 1
    cells[1, 1] = 1
    cells[2, :] = 1
    assert draw(cells).splitlines() == [
        "step 0    step 1    step 2  ",
        "▀▀▀▀▀▀▀▀  ▄▄▄▄▄▄▄▄  ████████",
        " " * 20 + "▀" * 8,
    ]
