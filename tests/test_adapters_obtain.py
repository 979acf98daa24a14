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


def test_what_was_trained_before_is_reused_and_the_time_that_this_saves_is_told(
    obtain: Obtain, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("coral_batch.work.progress._QUIET", 0.0)
    made = obtain([FIRST], TRAINING)
    assert "adapters: 0 of 1 from the store, saving 0.0 s" in capsys.readouterr().err
    both = obtain([SECOND, FIRST, SECOND], TRAINING)
    assert list(both) == [SECOND, FIRST]
    line = f"adapters: 1 of 2 from the store, saving {made[FIRST].seconds:.1f} s; 1 made now"
    assert line in capsys.readouterr().err
    for new, old in (
        (made[FIRST], both[FIRST]),
        (both[SECOND], obtain([SECOND], TRAINING)[SECOND]),
    ):
        assert not new.reused and new.seconds > 0
        assert old == replace(new, reused=True, seconds=0.0)
        assert len(new.curve.loss) == 2


def test_a_warm_up_longer_than_the_training_is_refused_before_the_base_is_loaded(
    tmp_path: Path,
) -> None:
    long = replace(TRAINING, warmup_steps=3)
    with pytest.raises(CoralError, match=r"training\.warmup_steps[\s\S]*3[\s\S]*at most 2"):
        obtain_adapters(tmp_path / "none", [FIRST], long, Store(tmp_path / "store"))


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


def test_more_layers_than_there_are_are_refused(obtain: Obtain) -> None:
    with pytest.raises(CoralError, match="expected: at most 2, or null for all"):
        obtain([FIRST], replace(TRAINING, layers=3))


def test_everything_that_matters_is_in_the_key(materialised: Path) -> None:
    card = read_card(materialised)
    parent, other = (Parent(digit * 64, materialised) for digit in "01")
    changes: list[dict[str, Any]] = [
        {},
        {"seed": 2},
        {"configuration": DORA},
        {"configuration": replace(LORA, lora_dropout=0.1)},
        {"parents": (parent,)},
        {"parents": (other,)},
        {"parents": (parent, other)},
        {"examples": (replace(EXAMPLES[0], answer="other"), *EXAMPLES[1:])},
    ]
    asked = [(card, replace(FIRST, **change), TRAINING) for change in changes]
    asked += [(card, FIRST, replace(TRAINING, learning_rate=2e-2)), (card, FIRST, UPPER)]
    files = card.files | {"model.safetensors": "0" * 64}
    asked.append((replace(card, files=files), FIRST, TRAINING))
    keys = [key_of(determinants(*arguments)) for arguments in asked]
    assert len(set(keys)) == len(keys)
    assert keys[0] == key_of(determinants(card, FIRST, TRAINING))


def test_a_worker_is_told_the_files_of_the_parents_to_check(
    obtain: Obtain, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = obtain([FIRST], UPPER)[FIRST]
    child = replace(SECOND, parents=(Parent(parent.key, parent.folder),))
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
    begun = (Parent(parent.key, parent.folder),)
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
