"""The best genome of a run: by the gate, then by fitness, then by generation, then by id."""

from __future__ import annotations

from dataclasses import replace

from coral_batch.records.rows import SelectionRow
from coral_batch.records.settings import Scores
from coral_batch.search.best import best

EVEN = Scores(0.5, 0.5, 0.5, 0.5, 0.5)
ROW = SelectionRow(
    genome="000-00",
    objectives=EVEN,
    fitness=0.5,
    repaired=0.25,
    worth=0.5,
    thresholds=EVEN,
    passed=True,
    failed=(),
    shortfall=0.0,
    nobody_passed=False,
    rank=0,
    crowding=None,
    survived=True,
    children=(),
)


def row(genome: str, fitness: float) -> SelectionRow:
    return replace(ROW, genome=genome, fitness=fitness, worth=fitness)


def test_the_genome_of_highest_fitness_in_any_generation_is_the_best() -> None:
    rows = {
        "000": [row("000-00", 0.4), row("000-01", 0.6)],
        "001": [row("000-01", 0.6), row("001-00", 0.7)],
    }
    assert best(rows) == ("001", rows["001"][1])


def test_a_survivor_counts_in_its_first_generation_and_of_equals_the_first_id() -> None:
    rows = {
        "001": [row("000-01", 0.6), row("000-00", 0.6)],
        "000": [row("000-01", 0.6), row("000-00", 0.6)],
    }
    assert best(rows) == ("000", rows["000"][1])


def test_a_genome_that_the_gate_refused_is_not_the_best_when_another_passed() -> None:
    refused = replace(row("000-01", 0.9), passed=False)
    passing = row("001-00", 0.4)
    assert best({"000": [refused], "001": [refused, passing]}) == ("001", passing)


def test_a_survivor_that_fails_later_was_best_when_it_passed() -> None:
    passing = row("000-00", 0.9)
    rows = {"000": [passing], "001": [replace(passing, passed=False), row("001-00", 0.5)]}
    assert best(rows) == ("000", passing)


def test_what_selection_maximises_comes_before_the_fitness() -> None:
    fitter, better = row("000-00", 0.9), replace(row("000-01", 0.6), worth=0.95)
    assert best({"000": [fitter, better]}) == ("000", better)
    equal = replace(fitter, worth=0.95)
    assert best({"000": [better, equal]}) == ("000", equal)


def test_when_none_passed_the_fittest_is_the_best() -> None:
    first, second = (replace(row(f"000-0{n}", 0.4 + n / 10), passed=False) for n in (0, 1))
    assert best({"000": [first], "001": [second]}) == ("001", second)
