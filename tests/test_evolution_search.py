"""The evolution's controls: what decides configurations and parents, and what they spend."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.schemas import read
from coral_batch.records.genome import Genome
from coral_batch.records.rows import FirstChangeRow, SelectionRow
from coral_batch.records.settings import Automata, Params
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.gate import OBJECTIVES
from coral_batch.search.genome import random_population
from coral_batch.search.ids import genome_id, place
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.plan import plan
from coral_batch.search.tables import next_generation
from tests import REPOSITORY

DEFAULT = params.load(REPOSITORY / "params.yaml")
UNIFORM = Transport(1, ())
KINDS = read("params")["properties"]["search"]["properties"]["kind"]["enum"]


def settings(kind: str, select: str = "fitness") -> Params:
    return replace(
        DEFAULT,
        search=replace(DEFAULT.search, kind=kind),
        evolution=replace(DEFAULT.evolution, population=8, survivors=3, select=select),
        automata=Automata(height=8, width=8, steps=6),
    )


def features(genomes: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"genome": genomes, **dict.fromkeys(FEATURES, 0.5)})


def scored(
    chosen: Params, values: Sequence[float] = (0.5,) * 8
) -> tuple[tuple[Genome, ...], pl.DataFrame]:
    """Return the first generation and its scores: of each genome the same in every objective."""
    genomes = random_population(chosen.evolution, chosen.seed)
    ids = [genome.id for genome in genomes]
    return genomes, pl.DataFrame(
        {"genome": ids, "problem": "sieve", **dict.fromkeys(OBJECTIVES, values)}
    )


def generation(
    kind: str, seed: int = 1, passing: int = 8
) -> tuple[list[SelectionRow], tuple[Genome, ...]]:
    """Run selection on genomes of which the first are the best, and as many pass the gate."""
    chosen = replace(settings(kind), seed=seed)
    values = [1 - index / 20 if index < passing else 0.0 for index in range(8)]
    return next_generation(*scored(chosen, values), (), 0, chosen)


def test_scores_of_another_population_or_of_different_problems_are_refused() -> None:
    genomes, scores = scored(settings("evolved"))
    other = scores.head(1).with_columns(problem=pl.lit("wrap"))
    for table, words in (
        (scores.head(7), r"generation 0, scores of 000-00, [\s\S]*000-07"),
        (pl.concat([scores, other]), "no score of 000-01 on wrap"),
    ):
        with pytest.raises(CoralError, match=words):
            next_generation(genomes, table, (), 0, settings("evolved"))
    with pytest.raises(CoralError, match="no first changes of 000-00"):
        next_generation(genomes, scores, (), 0, settings("evolved", "reading"))


@pytest.mark.parametrize("passing", [0, 1])
def test_the_table_says_if_nobody_passed_and_then_the_best_survive_anyway(passing: int) -> None:
    rows, _ = generation("evolved", passing=passing)
    assert {row.nobody_passed for row in rows} == {not passing}
    assert {row.genome for row in rows if row.survived} >= {"000-00"}


def test_the_evidence_names_every_search() -> None:
    assert read("evidence")["properties"]["search"]["enum"] == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_features_matter_where_the_automata_decide_and_nowhere_else(kind: str) -> None:
    genomes = ["000-00", "000-01"]
    moved = features(genomes).with_columns(pl.lit(0.9).alias(name) for name in FEATURES)
    first, second = (plan(frame, UNIFORM, settings(kind)) for frame in (features(genomes), moved))
    differ = [
        (one.configuration, one.knobs) != (other.configuration, other.knobs)
        for one, other in zip(first, second, strict=True)
    ]
    assert any(differ) == (kind != "random")


def test_a_random_search_draws_every_candidate_equally_often_whatever_the_features() -> None:
    genomes = [f"{birth:03d}-{index:02d}" for birth in range(60) for index in range(100)]
    plans = plan(features(genomes), UNIFORM, settings("random"))
    for gene in ("r", "lora_alpha", "lora_dropout", "target_modules", "use_dora"):
        counts = Counter(getattr(one.configuration, gene) for one in plans)
        assert min(counts.values()) > 0.9 * len(plans) / len(counts)
    pairs = Counter((one.configuration.r, one.knobs.temperature) for one in plans)
    assert len(pairs) == len(DEFAULT.candidates.r) * len(DEFAULT.candidates.temperature)
    assert plan(features(genomes[7:8]), UNIFORM, settings("random")) == plans[7:8]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("passing", "living"), [(8, 3), (2, 2), (0, 3)])
def test_every_search_has_as_many_survivors_and_newborns(
    kind: str, passing: int, living: int
) -> None:
    rows, bred = generation(kind, passing=passing)
    assert len(bred) == len({genome.id for genome in bred}) == 8
    survivors = {row.genome for row in rows if row.survived}
    assert len(survivors) == living
    assert {genome.id for genome in bred if genome.id.startswith("000")} == survivors


def test_parents_are_selected_drawn_by_lot_or_not_there_at_all() -> None:
    best = {"000-00", "000-01", "000-02"}
    for kind in ("evolved", "random"):
        assert {row.genome for row in generation(kind)[0] if row.survived} == best
    drawn: Counter[str] = Counter()
    for seed in range(200):
        rows, bred = generation("unselected", seed)
        living = {row.genome for row in rows if row.survived}
        drawn.update(living)
        assert all(set(genome.parents) <= living for genome in bred)
        assert [row.genome for row in rows][:3] == ["000-00", "000-01", "000-02"]
    assert min(drawn.values()) > 200 * 3 / 8 / 2
    rows, bred = generation("random")
    assert all(genome.parents == () for genome in bred)
    assert all(row.children == () for row in rows)
    assert len(np.unique([genome.grid_seed for genome in bred])) == 8


def test_selection_by_reading_goes_by_how_likely_first_changes_are_the_right_ones() -> None:
    chosen = settings("evolved", "reading")
    genomes, scores = scored(chosen)
    ids = [genome.id for genome in genomes]
    looks = [
        FirstChangeRow(name, bug, 0.1, (0.5, 0.5), 1, right)
        for number, name in enumerate(ids)
        for bug, right in (("a", number / 10), ("b", number / 20))
    ]
    rows, _ = next_generation(genomes, scores, looks, 0, chosen)
    assert [row.genome for row in rows] == ids[::-1]
    assert rows[0].worth == rows[0].read == pytest.approx((0.7 + 0.35) / 2)
    assert {row.genome for row in rows if row.survived} == {"000-07", "000-06", "000-05"}


def test_places_are_numbered_in_the_order_of_birth() -> None:
    born = [genome_id(0, index) for index in range(6)]
    born += [genome_id(generation, index) for generation in (1, 2) for index in range(4)]
    assert [place(genome, 6, 2) for genome in born] == list(range(14))
