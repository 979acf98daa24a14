"""The best genome of a run: by the gate, then by what selection maximises."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from coral_batch.records.rows import SelectionRow
from coral_batch.records.settings import OBJECTIVES, Scores
from coral_batch.search.best import choose
from tests.rows import selected


def all_at(score: float) -> Scores:
    return Scores(*[score] * len(OBJECTIVES))


def row(genome: str, fitness: float) -> SelectionRow:
    return selected(genome, all_at(0.5), fitness)


def best(selections: Mapping[str, Sequence[SelectionRow]]) -> tuple[str, SelectionRow]:
    chosen = choose(selections)
    return chosen.generation, chosen.row


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
    refused = replace(row("000-01", 0.9), objectives=all_at(0.4))
    passing = row("001-00", 0.4)
    assert best({"000": [refused], "001": [refused, passing]}) == ("001", passing)


def test_genomes_of_all_generations_are_held_to_the_last_generation_s_thresholds() -> None:
    early = replace(row("000-00", 0.4), objectives=all_at(0.21), thresholds=all_at(0.2))
    late = replace(row("001-00", 0.7), objectives=all_at(0.59), thresholds=all_at(0.6))
    rows = {"000": [early], "001": [replace(late, passed=False)]}
    chosen = choose(rows)
    assert (chosen.row.genome, chosen.passed) == ("001-00", False)
    able = replace(row("000-01", 0.5), objectives=all_at(0.6), thresholds=all_at(0.2))
    assert best({**rows, "000": [early, able]}) == ("000", able)


def test_what_selection_maximises_comes_before_the_fitness() -> None:
    fitter, better = row("000-00", 0.9), replace(row("000-01", 0.6), worth=0.95)
    assert best({"000": [fitter, better]}) == ("000", better)
    equal = replace(fitter, worth=0.95)
    assert best({"000": [better, equal]}) == ("000", equal)
