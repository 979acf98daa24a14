"""The best genome of a run: by the gate, by selection, and by what finalists do on other bugs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl
import pytest

from coral_batch.lake import params
from coral_batch.records.rows import FinalistRow, SelectionRow
from coral_batch.records.settings import OBJECTIVES, Params, Scores
from coral_batch.search.best import finalists
from coral_batch.search.ranking import rank
from tests import REPOSITORY
from tests.fresh import output_of

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


def all_at(score: float) -> Scores:
    return Scores(*[score] * len(OBJECTIVES))


def row(genome: str, fitness: float) -> SelectionRow:
    return replace(ROW, genome=genome, fitness=fitness, worth=fitness)


def best(selections: Mapping[str, Sequence[SelectionRow]]) -> tuple[str, SelectionRow]:
    """Return what comes first by selection alone."""
    (first,) = finalists(selections, 1)
    return first.generation, first.row


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
    found = finalists(rows, 2)
    assert [(one.row.genome, one.passed) for one in found] == [("001-00", False), ("000-00", False)]
    able = replace(row("000-01", 0.5), objectives=all_at(0.6), thresholds=all_at(0.2))
    assert best({**rows, "000": [early, able]}) == ("000", able)


def test_what_selection_maximises_comes_before_the_fitness() -> None:
    fitter, better = row("000-00", 0.9), replace(row("000-01", 0.6), worth=0.95)
    assert best({"000": [fitter, better]}) == ("000", better)
    equal = replace(fitter, worth=0.95)
    assert best({"000": [better, equal]}) == ("000", equal)


def scores(solved: Mapping[str, Sequence[int]], name: str) -> pl.DataFrame:
    """Return a table `scores`: genome -> 1 for each bug that it repairs, and 0 for the others."""
    rows = [
        {"genome": genome, "problem": f"{name}{number}", **dict.fromkeys(OBJECTIVES, float(one))}
        for genome, ones in solved.items()
        for number, one in enumerate(ones)
    ]
    return pl.DataFrame(rows)


def ranked(settings: Params, before: pl.DataFrame, after: pl.DataFrame) -> list[FinalistRow]:
    rows = {"000": [row("000-00", 0.75), row("000-01", 0.5)]}
    return rank(finalists(rows, 2), {"000": before}, after, settings)


@pytest.mark.parametrize("select", ["fitness", "repair"])
def test_who_was_lucky_in_selection_is_not_best_for_that(select: str) -> None:
    settings = params.load(REPOSITORY / "params.yaml")
    settings = replace(settings, evolution=replace(settings.evolution, select=select))
    before = scores({"000-00": [1, 1, 1, 0], "000-01": [1, 1, 0, 0]}, "seen")
    after = scores({"000-00": [0, 0, 0, 1], "000-01": [1, 1, 1, 0]}, "new")
    first, second = ranked(settings, before, after)
    assert first == FinalistRow("000-01", "000", True, 0.5, 0.75, 0.625)
    assert second == FinalistRow("000-00", "000", True, 0.75, 0.25, 0.5)
    # Of equals the one that selection preferred.
    assert [one.genome for one in ranked(settings, before, before)] == ["000-00", "000-01"]
    level = scores({"000-00": [0, 1], "000-01": [1, 1]}, "new")
    assert [one.genome for one in ranked(settings, before, level)] == ["000-00", "000-01"]


def test_a_finalist_that_the_gate_refused_comes_behind_those_that_passed() -> None:
    settings = params.load(REPOSITORY / "params.yaml")
    refused = replace(row("000-00", 0.9), objectives=all_at(0.4))
    rows = {"000": [refused, row("000-01", 0.1)]}
    table = scores({"000-00": [1, 1], "000-01": [0, 0]}, "bug")
    order = rank(finalists(rows, 2), {"000": table}, table, settings)
    assert [one.genome for one in order] == ["000-01", "000-00"]


def test_the_share_of_repairs_does_not_depend_on_the_number_of_threads() -> None:
    script = """
import numpy as np, polars as pl
from coral_batch.records.settings import OBJECTIVES
from coral_batch.search.worth import pass_rates

random = np.random.default_rng(0)
table = pl.DataFrame({"genome": np.repeat(["a", "b", "c", "d"], 1800), "problem": [
    f"bug{number // 3}" for number in range(1800)] * 4, **dict.fromkeys(OBJECTIVES, 1.0)})
table = table.with_columns(bugfix=random.integers(2, size=7200).astype(float))
print(pass_rates(table, ["a", "b", "c", "d"]).tobytes().hex())
"""
    told = {output_of(script, POLARS_MAX_THREADS=threads) for threads in ("1", "2", "4", "7")}
    assert len(told) == 1
