"""The adapters of a generation under the controls of the evolution."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.lake.store import Store
from coral_batch.models.base.checkpoint import materialise
from coral_batch.models.training.obtain import obtain_adapters
from coral_batch.models.training.tables import tabulate
from coral_batch.records.example import Example
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.search import plan
from tests import REPOSITORY
from tests.tiny import make_tiny_base

DEFAULT = params.load(REPOSITORY / "params.yaml")
GENOMES = ("000-00", "000-01", "001-00")


def test_a_fixed_search_trains_an_adapter_a_genome_and_reuses_those_that_live_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    materialise(str(make_tiny_base(tmp_path / "tiny")), None, tmp_path / "base", tmp_path)
    settings = replace(
        DEFAULT,
        search=replace(DEFAULT.search, kind="fixed"),
        training=replace(DEFAULT.training, warmup_steps=1, layers=1),
    )
    rows = [{"genome": genome, **dict.fromkeys(FEATURES, 0.5)} for genome in GENOMES]
    text = {"instruction": "", "input": "", "output": "", "prompt": "Fix it.", "answer": "return a"}
    examples = [
        Example(id=f"gcd/{variant}", problem="gcd", variant=variant, bug=None, **text)
        for variant in range(4)
    ]

    def train(some: slice) -> tuple[list[str], list[bool]]:
        plans = plan(pl.DataFrame(rows[some]), Transport(1, ()), settings)
        wanted = [(one.configuration, one.seed) for one in plans]
        store = Store(tmp_path / "store")
        obtained = obtain_adapters(tmp_path / "base", examples, wanted, settings.training, store)
        made = tabulate(plans, obtained, lake.path("adapter_folders", "000"))
        adapters = made["adapters"]
        assert len({card.determinants["seed"] for card in made["adapter_cards"]}) == len(adapters)
        assert set(made["adapter_folders"]) == {row.key for row in adapters}
        assert [row.key for row in made["subjects"]] == [row.key for row in adapters]
        assert len({row.configuration for row in adapters}) == 1
        return [row.key for row in adapters], [one.reused for one in made["adapter_durations"]]

    born, reused = train(slice(0, 2))
    assert len(set(born)) == 2
    assert reused == [False, False]
    # At once, so that they can train side by side.
    assert "adapters: 0 of 2 from the store" in capsys.readouterr().err
    later, reused = train(slice(1, 3))
    assert (later[0], reused) == (born[1], [True, False])
