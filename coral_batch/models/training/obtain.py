"""Get a population's adapters from the store if possible, else train them.

The base model is loaded only if something must be trained: once per process, or once per adapter
if that frees its lower layers. On processors and on a cluster an adapter is a unit of work; its
worker puts it into the shared store. Each CUDA device trains several adapters in parallel.

On a processor each adapter trains on one thread, with one adapter per core: threads that share an
adapter's steps wait for each other half of the time.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from coral_batch import seeding
from coral_batch.errors import CoralError
from coral_batch.lake.hashes import code_sha256, folder_hashes
from coral_batch.lake.store import Store, key_of
from coral_batch.lake.tables import build
from coral_batch.models.base.checkpoint import CARD, BaseModel, Card, load_base, read_card
from coral_batch.models.base.device import arithmetic, compute_dtype, devices
from coral_batch.models.prompts import tokens
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.models.training.inheritance import Parent
from coral_batch.models.training.training import TrainingCurve, check_warmup, train
from coral_batch.records.configuration import AdapterConfiguration
from coral_batch.records.example import Example
from coral_batch.records.settings import Training
from coral_batch.work.address import cluster
from coral_batch.work.machine import available_memory
from coral_batch.work.parallel import ask, drop, keep, require_same, run, slots
from coral_batch.work.progress import progress, say, say_reuse

KIND = "adapters"
CURVE = "curve.json"
SECONDS = "seconds.json"
PEFT = "adapter"
DECISIVE = (
    "../base/layers.py",
    "encoding.py",
    "inheritance.py",
    "layers.py",
    "losses.py",
    "training.py",
)
"""The files that decide an adapter, relative to this folder: `training` and all that it imports. Of
our other imported code, only `coral_batch.seeding` and `coral_batch.models.prompts.tokens` affect
an adapter."""
_Common = tuple[Path, Training, Store]

_PATIENCE = 90.0  # seconds; NFS caches folders for up to 60


@dataclass(frozen=True)
class Wanted:
    """A requested adapter.

    Attributes:
        configuration: its configuration.
        seed: its training seed.
        examples: its training examples.
        parents: the adapters that initialise it; empty for none.
    """

    configuration: AdapterConfiguration
    seed: int
    examples: tuple[Example, ...]
    parents: tuple[Parent, ...] = ()


@dataclass(frozen=True)
class Adapter:
    """A trained adapter.

    Attributes:
        key: SHA-256 of its determinants.
        determinants: everything that determined it, see `determinants`.
        folder: its PEFT folder in the store; copy it, do not change it.
        files: SHA-256 of each of its files, by name.
        curve: its training curve.
        reused: whether it was already in the store.
        seconds: its training time; 0 if it was reused.
    """

    key: str
    determinants: dict[str, Any]
    folder: Path
    files: dict[str, str]
    curve: TrainingCurve
    reused: bool
    seconds: float


def obtain_adapters(
    base_folder: Path,
    wanted: Iterable[Wanted],
    training: Training,
    store: Store,
    threads: int | None = None,
) -> dict[Wanted, Adapter]:
    """Return each distinct requested adapter, training those that the store lacks.

    Args:
        base_folder: the materialised base model.
        wanted: the requested adapters; duplicates are trained once.
        training: hyperparameters.
        store: keeps each adapter as soon as it is trained.
        threads: maximum of adapters trained at a time on a processor, each on one thread; None for
            one per core, or fewer if memory is short.

    Raises:
        CoralError: see `coral_batch.models.training.training.train` and
            `coral_batch.models.base.checkpoint.load_base`.
    """
    distinct = list(dict.fromkeys(wanted))
    for one in distinct:
        check_warmup(len(one.examples), training)
    base_folder = base_folder.absolute()
    known = ask(_determinants, base_folder, distinct, training, device=True)
    found = {one: store.get(KIND, known[one]) for one in distinct}
    entries = {one: entry for one, entry in found.items() if entry is not None}
    saved = [_seconds(entry) for entry in entries.values()]
    missing = {one: known[one] for one in distinct if one not in entries}
    if missing:
        common = (base_folder, training, Store(store.root.absolute()))
        entries |= _trained(missing, len(saved), common, threads)
    adapters = {
        one: Adapter(
            key=key_of(known[one]),
            determinants=known[one],
            folder=entries[one] / PEFT,
            files=folder_hashes(entries[one] / PEFT),
            curve=build(TrainingCurve, json.loads((entries[one] / CURVE).read_text())),
            reused=one not in missing,
            seconds=_seconds(entries[one]) if one in missing else 0.0,
        )
        for one in distinct
    }
    say_reuse("adapters", saved, [adapters[one].seconds for one in missing])
    return adapters


def determinants(card: Card, wanted: Wanted, training: Training) -> dict[str, Any]:
    """Everything that the bytes of an adapter depend on, as JSON values.

    A parent's key covers its own parents, so an adapter's key covers its whole ancestry.
    """
    here = Path(__file__).parent
    sources = [here / name for name in DECISIVE]
    sources += [Path(str(module.__file__)) for module in (seeding, tokens)]
    return {
        "base": card.sha256,
        "examples": examples_sha256(wanted.examples),
        "configuration": asdict(wanted.configuration),
        "training": asdict(training),
        "seed": wanted.seed,
        "parents": [{"key": one.key, "share": 1 / len(wanted.parents)} for one in wanted.parents],
        "code": code_sha256(sources),
        "versions": {
            name: version(name) for name in ("torch", "transformers", "peft", "tokenizers", "numpy")
        },
        "arithmetic": arithmetic(),
    }


def _trained(
    missing: Mapping[Wanted, dict[str, Any]],
    reused: int,
    common: _Common,
    most: int | None,
) -> dict[Wanted, Path]:
    """Train the missing adapters, given with their determinants, and report progress."""
    base_folder = common[0]
    on = devices()
    if cluster():
        together = slots(device=True)
    elif torch.cuda.is_available():
        on *= _on_each_device(base_folder, on, most)
        together = len(on)
    else:
        together = _side_by_side(base_folder, most)
    on = on[: len(missing)]
    together = min(together, len(missing))
    say(f"adapters: {len(missing)} to train, {together} at a time; {reused} from the store")
    if cluster() or len(set(on)) < 2:
        units = [(wanted, found, *common) for wanted, found in missing.items()]
        reads = [
            [base_folder / CARD, *(file for one in wanted.parents for file in one.folder.iterdir())]
            for wanted in missing
        ]
        done = run(_train_unit, units, together, device=True, reads=reads)
    else:
        # One process per share, since training sets torch's global generator.
        shares = [
            (device, dict(list(missing.items())[at :: len(on)]), *common)
            for at, device in enumerate(on)
        ]
        done = run(_train_share, shares, workers=len(on))
    trained = (entry for _, entries in done for entry in entries.items())
    bar = progress(trained, "training", len(missing), units="adapters")
    return {wanted: _awaited(entry) for wanted, entry in bar}


def _determinants(
    base_folder: Path,
    wanted: Sequence[Wanted],
    training: Training,
) -> dict[Wanted, dict[str, Any]]:
    """Return the determinants of each adapter if this process trains it."""
    card = read_card(base_folder)
    with _one_thread():
        return {one: determinants(card, one, training) for one in wanted}


@contextmanager
def _one_thread() -> Iterator[None]:
    """Run torch on one thread inside the block."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _side_by_side(base_folder: Path, most: int | None) -> int:
    """Return how many adapters to train at a time on this machine's processor, >= 1.

    In bf16, the type of its files, the base model is in memory once. On the 0.5B base that takes
    1 GB, plus up to 2.1 GB of activations for each adapter and 0.5 GB for the parent process. In
    fp32 each adapter has its own copy of the weights, and everything takes twice as much. Savings
    from skipped lower layers are not counted.
    """
    size = compute_dtype(devices()[0]).itemsize
    weights = size * read_card(base_folder).parameters
    fitting = (available_memory() - weights) // (weights + size * 625_000_000)
    return max(1, min(most or torch.get_num_threads(), fitting))


def _on_each_device(base_folder: Path, on: Sequence[torch.device], most: int | None) -> int:
    """Return how many adapters to train at a time on each GPU, >= 1.

    A single adapter leaves a GPU mostly idle, waiting for the processor to launch kernels. Each
    adapter takes a core, and its own weights and activations on the device.
    """
    size = compute_dtype(on[0]).itemsize * read_card(base_folder).parameters
    free = min(torch.cuda.mem_get_info(device)[0] for device in on)
    fitting = min(free, available_memory() // len(on)) // (2 * size + 4_000_000_000)
    return max(1, min((most or len(os.sched_getaffinity(0))) // len(on), fitting))


def _train_share(
    device: torch.device,
    share: Mapping[Wanted, dict[str, Any]],
    base_folder: Path,
    training: Training,
    store: Store,
) -> dict[Wanted, Path]:
    """Train a share of the adapters, given with their determinants, into the store."""
    return {
        wanted: store.get(KIND, known)
        or store.put(KIND, known, partial(_build, base_folder, device, wanted, training))
        for wanted, known in share.items()
    }


def _train_unit(
    wanted: Wanted,
    known: dict[str, Any],
    base_folder: Path,
    training: Training,
    store: Store,
) -> dict[Wanted, Path]:
    """Train one adapter into the store in a worker."""
    here = _determinants(base_folder, [wanted], training)
    require_same("what determines an adapter", here[wanted], known)
    with _one_thread():
        return _train_share(devices()[0], {wanted: known}, base_folder, training, store)


def _awaited(entry: Path) -> Path:
    """Wait until another machine's entry is visible; network file systems take a while.

    Raises:
        CoralError: it does not appear.
    """
    deadline = time.monotonic() + _PATIENCE
    while not entry.is_dir():
        if time.monotonic() > deadline:
            raise CoralError(
                "a worker's store entry is not visible here",
                file=entry,
                action="mount the same .coral at the same path on all machines",
            )
        time.sleep(0.1)
    return entry


def _build(
    base_folder: Path, device: torch.device, wanted: Wanted, training: Training, folder: Path
) -> None:
    made = folder / PEFT
    made.mkdir()
    load: Callable[[], BaseModel] = partial(load_base, base_folder, device=device)
    if training.layers is None:
        key = "training", base_folder, read_card(base_folder).sha256
        load = partial(keep, str(device), key, load)
    else:  # training frees the lower layers of its model
        drop(str(device))
    curve, seconds = train(
        load(),
        wanted.examples,
        wanted.configuration,
        training,
        wanted.seed,
        made,
        wanted.parents,
    )
    (folder / CURVE).write_text(json.dumps(asdict(curve), indent=2, sort_keys=True) + "\n")
    (folder / SECONDS).write_text(f"{seconds:.3f}\n")


def _seconds(entry: Path) -> float:
    """Return the seconds that training an entry took."""
    return float(json.loads((entry / SECONDS).read_text()))
