"""The stage `adapters`: survivors keep theirs, children begin with their parents' and learn on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.lake.stage import run
from coral_batch.models.base.checkpoint import materialise
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.records.example import Example
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Role
from coral_batch.records.rows import AdapterCardRow, AdapterRow, InheritedRow, SubjectRow
from coral_batch.records.settings import Automata, Calibration
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.mapping.mapping import calibrate
from coral_batch.search.tables import inherited
from stages.adapters import make
from tests.rows import example
from tests.settings import set_params
from tests.tiny import make_tiny_base

FOUNDERS = [Genome(f"000-0{number}", (), "random", "B3/S23", number, 0.5) for number in range(3)]
BRED = [
    *FOUNDERS[:2],
    Genome("001-00", ("000-01",), "mutation", "B3/S23", 7, 0.5),
    Genome("001-01", ("000-00", "000-01"), "crossover+mutation", "B3/S23", 8, 0.5),
]


@pytest.fixture
def begun(workspace: Path) -> Path:
    """A lake up to the features of two generations, with three portions of two examples."""
    set_params({"training.layers": 1, "training.warmup_steps": 1, "examples.portion": 2})
    materialise(str(make_tiny_base(workspace / "tiny")), None, lake.path("base"), workspace)
    examples = [example("gcd", number, "Fix it.", "return a") for number in range(7)]
    lake.write_rows("examples", examples)
    role = Role("gcd", "classics", "training", "for a test", "cases", "0" * 64)
    lake.write_rows("manifest", [role])
    lake.write_document(
        "calibration", calibrate(Automata(8, 8, 6), Calibration(64, 2), seed=1).to_plain()
    )
    for part, genomes in (("000", FOUNDERS), ("001", BRED)):
        lake.write_rows("population", genomes, part)
        rows = [
            {"genome": one.id, **dict.fromkeys(FEATURES, one.grid_seed / 10)} for one in genomes
        ]
        lake.write_frame("features", lake.frame("features", rows), part)
    lake.write_rows("inherited", [], "000")
    train("000")
    lake.write_rows("inherited", left_behind(), "001")
    return workspace


def train(part: str) -> None:
    run(make, part)


def left_behind() -> list[InheritedRow]:
    return inherited(
        ["000-00", "000-01"],
        lake.read_rows("adapters", AdapterRow, "000"),
        lake.read_rows("adapter_cards", AdapterCardRow, "000"),
        lake.read_rows("subjects", SubjectRow, "000"),
    )


def of(part: str) -> dict[str, tuple[AdapterRow, AdapterCardRow]]:
    cards = {card.key: card for card in lake.read_rows("adapter_cards", AdapterCardRow, part)}
    return {
        row.genome: (row, cards[row.key]) for row in lake.read_rows("adapters", AdapterRow, part)
    }


def test_survivors_keep_their_adapters_and_children_begin_with_their_parents(begun: Path) -> None:
    train("001")
    before, after = of("000"), of("001")
    for survivor in ("000-00", "000-01"):
        assert after[survivor] == before[survivor]
        assert (lake.path("adapter_folders", "001") / after[survivor][0].key).is_dir()
    keys = [before[name][0].key for name in ("000-00", "000-01")]
    assert after["001-00"][1].determinants["parents"] == [{"key": keys[1], "share": 1.0}]
    assert after["001-01"][1].determinants["parents"] == [
        {"key": key, "share": 0.5} for key in keys
    ]
    first, child = before["000-00"][1].determinants, after["001-00"][1].determinants
    assert child["training"]["learning_rate"] == first["training"]["learning_rate"] / 4


def test_portions_are_dealt_in_the_order_of_birth(begun: Path) -> None:
    set_params({"evolution.population": 3})
    train("001")
    examples = lake.read_rows("examples", Example)
    portions = [examples_sha256(examples[at : at + 2]) for at in (0, 2, 4)]
    taught = {
        name: card.determinants["examples"] for name, (_, card) in (of("000") | of("001")).items()
    }
    assert [taught[one.id] for one in FOUNDERS] == portions
    # All portions are dealt, so the first ones are dealt again.
    assert [taught[name] for name in ("001-00", "001-01")] == portions[:2]


@pytest.mark.parametrize("inherit", [True, False])
def test_a_newborn_that_inherits_nothing_learns_at_the_full_rate(
    begun: Path, inherit: bool
) -> None:
    set_params({"evolution.inherit": inherit})
    if inherit:
        newcomers = [replace(one, parents=(), operator="random") for one in BRED[2:]]
        lake.write_rows("population", [*BRED[:2], *newcomers], "001")
    train("001")
    cards = [card.determinants for _, card in of("001").values()]
    assert all(one["parents"] == [] for one in cards)
    assert len({one["training"]["learning_rate"] for one in cards}) == 1


@pytest.mark.parametrize("how", ["missing", "damaged", "base", "configuration", "seed", "none"])
def test_an_inherited_adapter_that_cannot_be_begun_with_is_refused(begun: Path, how: str) -> None:
    first, second = left_behind()
    weights = lake.above(first.folder) / "adapter_model.safetensors"
    words = "adapter_model.safetensors"
    if how == "missing":
        weights.unlink()
    elif how == "damaged":
        weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    elif how == "seed":
        set_params({"seed": 2})
    elif how in first.determinants:
        known = {**first.determinants, how: "other"}
        lake.write_rows("inherited", [replace(first, determinants=known), second], "001")
    else:
        lake.write_rows("inherited", [first], "001")
        words = r"inherited.jsonl(.|\n)*genome 000-01"
    if how in first.determinants:
        words = rf"inherited.jsonl(.|\n)*000-00 with an adapter of another {how}"
    with pytest.raises(CoralError, match=words):
        train("001")
    assert not lake.path("adapters", "001").exists()


def test_features_of_another_population_are_refused(begun: Path) -> None:
    lake.write_rows("population", FOUNDERS[:-1], "000")
    with pytest.raises(CoralError, match=r"different runs[\s\S]*features of another population"):
        train("000")
