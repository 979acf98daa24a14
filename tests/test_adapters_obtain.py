"""What the store saves: an adapter that was trained before trains nothing, and is the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from coral_batch.errors import CoralError
from coral_batch.lake.store import Store, key_of
from coral_batch.models.base.checkpoint import read_card
from coral_batch.models.base.device import compute_dtype
from coral_batch.models.prompts.prompt import chat_prompt
from coral_batch.models.training.inheritance import Parent
from coral_batch.models.training.obtain import Adapter, Wanted, determinants, obtain_adapters
from coral_batch.records.configuration import AdapterConfiguration
from coral_batch.records.settings import Training
from coral_batch.work import parallel
from tests.rows import example
from tests.tiny import make_tiny_tokenizer

LORA = AdapterConfiguration(4, 8, 0.0, ("q_proj", "v_proj"), use_dora=False)
DORA = replace(LORA, use_dora=True)
TRAINING = Training(passes=1, batch_size=2, learning_rate=1e-2, warmup_steps=1, layers=None)
UPPER = replace(TRAINING, layers=1)

TOKENIZER = make_tiny_tokenizer()
EXAMPLES = tuple(
    example("p", n, chat_prompt(TOKENIZER, f"Fix: {n}"), f"return {n}\n```{TOKENIZER.eos_token}")
    for n in range(4)
)
FIRST, SECOND = Wanted(LORA, 1, EXAMPLES), Wanted(DORA, 1, EXAMPLES)
Obtain = Callable[..., dict[Wanted, Adapter]]

of_processors = pytest.mark.skipif(
    torch.cuda.is_available(), reason="a GPU has other memory, and an adapter there no threads"
)


@pytest.fixture
def obtain(materialised: Path, tmp_path: Path) -> Obtain:
    """Obtain adapters with a store of the test's own."""
    return partial(obtain_adapters, materialised, store=Store(tmp_path / "store"), threads=1)


def test_what_was_trained_before_is_reused(obtain: Obtain) -> None:
    made = obtain([FIRST, SECOND, FIRST], TRAINING)
    assert list(made) == [FIRST, SECOND]
    assert not any(adapter.reused for adapter in made.values())
    assert all(adapter.seconds > 0 for adapter in made.values())

    for wanted, adapter in obtain([SECOND, FIRST], TRAINING).items():
        assert adapter == replace(made[wanted], reused=True, seconds=0.0)
        assert len(adapter.curve.loss) == 2


def test_a_warm_up_longer_than_the_training_is_refused_before_the_base_is_loaded(
    tmp_path: Path,
) -> None:
    long = replace(TRAINING, warmup_steps=3)
    with pytest.raises(CoralError, match=r"training\.warmup_steps[\s\S]*3[\s\S]*at most 2"):
        obtain_adapters(tmp_path / "none", [FIRST], long, Store(tmp_path / "store"))


def test_a_run_reports_the_time_that_the_store_saved(
    obtain: Obtain, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("coral_batch.work.progress._QUIET", 0.0)
    made = obtain([FIRST], TRAINING)[FIRST]
    assert "adapters: 0 of 1 from the store, saving 0.0 s" in capsys.readouterr().err
    obtain([FIRST, SECOND], TRAINING)
    line = f"adapters: 1 of 2 from the store, saving {made.seconds:.1f} s; 1 made now"
    assert line in capsys.readouterr().err


@of_processors
@pytest.mark.parametrize(("gigabytes", "together"), [(1.3, 2), (1.2, 1)])
def test_adapters_train_side_by_side_as_far_as_memory_goes(
    obtain: Obtain,
    gigabytes: float,
    together: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In fp32 an adapter takes twice what it takes in bf16."""
    free = int(gigabytes * 1e9 * compute_dtype(torch.device("cpu")).itemsize)
    monkeypatch.setattr("coral_batch.models.training.obtain.available_memory", lambda: free)
    obtain([FIRST, SECOND], TRAINING, threads=2)
    assert f"2 to train, {together} at a time" in capsys.readouterr().err


def test_several_devices_train_what_one_trains(
    obtain: Obtain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With a number each is a device that weights are copied to. What torch maps from a file stands
    # where the file has it, and fp32 products can round otherwise at another alignment.
    two = (torch.device("cpu", 0), torch.device("cpu", 1))
    with monkeypatch.context() as patch:
        patch.setattr("coral_batch.models.base.checkpoint.devices", lambda: two[:1])
        one = obtain([FIRST, SECOND], TRAINING)
    monkeypatch.setattr("coral_batch.models.training.obtain.devices", lambda: two)
    others = obtain([FIRST, SECOND], TRAINING, store=Store(tmp_path / "another"))
    for wanted, adapter in others.items():
        file = adapter.folder / "adapter_model.safetensors"
        other = one[wanted].folder / "adapter_model.safetensors"
        assert file.read_bytes() == other.read_bytes()


def test_only_the_upper_layers_have_matrices(obtain: Obtain) -> None:
    adapter = obtain([FIRST], UPPER)[FIRST]
    names = load_file(adapter.folder / "adapter_model.safetensors")
    assert {name.split(".layers.")[1].split(".")[0] for name in names} == {"1"}


def test_more_layers_than_there_are_are_refused(obtain: Obtain) -> None:
    with pytest.raises(CoralError, match="expected: at most 2, or null for all"):
        obtain([FIRST], replace(TRAINING, layers=3))


def test_everything_that_matters_is_in_the_key(materialised: Path) -> None:
    card = read_card(materialised)
    wanted = FIRST
    changed = (replace(EXAMPLES[0], answer="other"), *EXAMPLES[1:])
    parent = Parent("0" * 64, materialised, 1.0)
    other_base = replace(card, files=card.files | {"model.safetensors": "0" * 64})
    keys = [
        key_of(determinants(*arguments))
        for arguments in (
            (card, wanted, TRAINING),
            (card, replace(wanted, seed=2), TRAINING),
            (card, SECOND, TRAINING),
            (card, replace(wanted, configuration=replace(LORA, lora_dropout=0.1)), TRAINING),
            (card, replace(wanted, parents=(parent,)), TRAINING),
            (card, replace(wanted, parents=(replace(parent, key="1" * 64),)), TRAINING),
            (card, replace(wanted, parents=(replace(parent, share=0.5),)), TRAINING),
            (card, wanted, replace(TRAINING, learning_rate=2e-2)),
            (card, wanted, UPPER),
            (card, replace(wanted, examples=changed), TRAINING),
            (other_base, wanted, TRAINING),
        )
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == key_of(determinants(card, wanted, TRAINING))


def test_a_worker_is_told_the_files_of_the_parents_to_check(
    obtain: Obtain, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = obtain([FIRST], UPPER)[FIRST]
    child = replace(SECOND, parents=(Parent(parent.key, parent.folder, 1.0),))
    told: list[Any] = []

    def run(*arguments: Any, reads: Any, **others: Any) -> Any:
        told.extend(reads)
        return parallel.run(*arguments, reads=reads, **others)

    monkeypatch.setattr("coral_batch.models.training.obtain.run", run)
    obtain([child], UPPER)
    (files,) = told
    assert {*files} >= {*parent.folder.iterdir()}


def test_a_child_begins_with_its_parent_s_adapter_and_learns_on(obtain: Obtain) -> None:
    wanted = replace(SECOND, examples=EXAMPLES[:2])
    parent = obtain([wanted], UPPER)[wanted]
    begun = (Parent(parent.key, parent.folder, 1.0),)
    still = replace(UPPER, learning_rate=1e-12)
    orphan = replace(SECOND, examples=EXAMPLES[2:])
    child = replace(orphan, parents=begun)
    for training, wanted in ((still, child), (UPPER, child), (UPPER, orphan)):
        one = obtain([wanted], training)[wanted]
        assert one.determinants["parents"] == [
            {"key": parent.key, "share": 1.0} for _ in wanted.parents
        ]
        before, after = (
            load_file(each.folder / "adapter_model.safetensors") for each in (parent, one)
        )
        apart = max((before[name] - after[name]).abs().max().item() for name in before)
        assert (apart < 1e-6) == (training is still)
