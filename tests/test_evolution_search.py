"""The evolution's controls: what decides configurations and parents, and what they spend."""

from __future__ import annotations

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
from coral_batch.records.rows import AdapterRow, SelectionRow
from coral_batch.records.settings import Automata, Params
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.gate import OBJECTIVES
from coral_batch.search.genome import random_population
from coral_batch.search.kinds import SEARCHES
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.search import plan
from coral_batch.search.tables import next_generation
from tests import REPOSITORY

DEFAULT = params.load(REPOSITORY / "params.yaml")
UNIFORM = Transport(1, ())
KINDS = read("params")["properties"]["search"]["properties"]["kind"]["enum"]


def settings(kind: str, population: int = 8) -> Params:
    return replace(
        DEFAULT,
        search=replace(DEFAULT.search, kind=kind),
        evolution=replace(DEFAULT.evolution, population=population, survivors=3, screen=4),
        automata=Automata(height=8, width=8, steps=6),
    )


def features(genomes: list[str]) -> pl.DataFrame:
    rows = [{"genome": genome, **dict.fromkeys(FEATURES, 0.5)} for genome in genomes]
    return pl.DataFrame(rows)


def generation(
    kind: str, seed: int = 1, passing: int = 8, before: Sequence[Genome] = ()
) -> tuple[list[SelectionRow], tuple[Genome, ...]]:
    """Run selection on genomes of which the first are the best, and as many pass the gate.

    They are those of the first generation, or those given of the second.
    """
    chosen = replace(settings(kind), seed=seed)
    genomes = before or random_population(chosen.evolution, chosen.seed)
    scores = pl.DataFrame(
        [
            {"genome": genome.id, "problem": "sieve"}
            | dict.fromkeys(OBJECTIVES, 1 - index / 20 if index < passing else 0.0)
            for index, genome in enumerate(genomes)
        ]
    )
    plans = plan(features([genome.id for genome in genomes]), UNIFORM, chosen)
    adapters = [
        AdapterRow(one.genome, "", one.coordinates, one.configuration, one.knobs, (), 0, False)
        for one in plans
    ]
    number = 1 if before else 0
    rows, bred, _ = next_generation(genomes, adapters, scores, (), UNIFORM, number, chosen)
    return rows, bred


def test_a_search_is_a_file_and_its_name_in_the_schema_of_params() -> None:
    assert sorted(SEARCHES) == sorted(KINDS)
    assert read("evidence")["properties"]["search"]["enum"] == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_features_matter_where_the_automata_decide_and_nowhere_else(kind: str) -> None:
    genomes = ["000-00", "000-01"]
    moved = features(genomes).with_columns(pl.lit(0.9).alias(name) for name in FEATURES)
    first, second = (plan(frame, UNIFORM, settings(kind)) for frame in (features(genomes), moved))
    same = [(one.configuration, one.knobs) for one in first] == [
        (one.configuration, one.knobs) for one in second
    ]
    assert same != SEARCHES[kind].AUTOMATA_DECIDE


def test_a_random_search_draws_every_candidate_equally_often_whatever_the_features() -> None:
    genomes = [f"{birth:03d}-{index:02d}" for birth in range(60) for index in range(100)]
    plans = plan(features(genomes), UNIFORM, settings("random"))
    for gene in ("r", "lora_alpha", "lora_dropout", "target_modules", "use_dora"):
        counts = Counter(getattr(one.configuration, gene) for one in plans)
        assert min(counts.values()) > 0.9 * len(plans) / len(counts)
    pairs = Counter((one.configuration.r, one.knobs.temperature) for one in plans)
    assert len(pairs) == len(DEFAULT.candidates.r) * len(DEFAULT.candidates.temperature)
    assert plan(features(genomes[7:8]), UNIFORM, settings("random")) == plans[7:8]


def test_a_fixed_search_trains_one_configuration_with_a_seed_a_genome() -> None:
    plans = plan(features(["000-00", "000-01", "001-00"]), UNIFORM, settings("fixed"))
    assert len({one.seed for one in plans}) == 3
    (configuration,) = {one.configuration for one in plans}
    (knobs,) = {one.knobs for one in plans}
    assert (configuration.r, configuration.lora_alpha) == (8, 16)
    assert configuration.target_modules == ("q_proj", "v_proj")
    assert not configuration.use_dora
    assert knobs.temperature == 0.6


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
    for kind in ("evolved", "fixed", "random"):
        assert {row.genome for row in generation(kind)[0] if row.survived} == best
    drawn: Counter[str] = Counter()
    for seed in range(200):
        rows, bred = generation("unselected", seed)
        living = {row.genome for row in rows if row.survived}
        drawn.update(living)
        assert all(set(genome.parents) <= living for genome in bred)
        assert [row.genome for row in rows][:3] == ["000-00", "000-01", "000-02"]
    assert min(drawn.values()) > 200 * 3 / 8 / 2
    for kind in ("fixed", "random"):
        rows, bred = generation(kind)
        assert all(genome.parents == () for genome in bred)
        assert all(row.children == () for row in rows)
        assert len(np.unique([genome.grid_seed for genome in bred])) == 8


def test_a_fixed_rank_that_decoding_has_no_room_for_is_refused() -> None:
    low = replace(DEFAULT.candidates, r=(2, 4))
    with pytest.raises(CoralError, match=r"candidates\.r[\s\S]*at least 8"):
        plan(features(["000-00"]), UNIFORM, replace(settings("fixed"), candidates=low))
