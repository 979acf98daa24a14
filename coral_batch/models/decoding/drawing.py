"""Sample answers to many prompts, from the store if possible, else with the engine.

A piece of work is one entry of the store, written once its last answer is finished, so a killed run
loses at most the pieces in flight. The base model is loaded only if something must be sampled.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig

from coral_batch import lake, seeding
from coral_batch.lake.hashes import check_files, code_sha256
from coral_batch.lake.store import Store, key_of
from coral_batch.models.base.checkpoint import CARD, load_base, read_card
from coral_batch.models.base.device import arithmetic, deal, decoding_rows, devices
from coral_batch.models.decoding.answer import Drawn, Sample, Unit
from coral_batch.models.decoding.changes import Look, Original
from coral_batch.models.decoding.engine import Engine
from coral_batch.models.decoding.linear import BLOCK
from coral_batch.models.prompts import tokens
from coral_batch.records.rows import DurationRow, SubjectRow
from coral_batch.records.settings import Params
from coral_batch.work.address import cluster
from coral_batch.work.parallel import ask, keep, require_same, run, slots
from coral_batch.work.progress import progress, say, say_reuse

KIND = "samples"
_STORE = Store(lake.STORE)
FILE = "samples.json"
SECONDS = "seconds.json"
SLOTS = 4
_INDECISIVE = {"__init__.py", Path(__file__).name}
DECISIVE = (
    "../base/layers.py",
    *sorted({file.name for file in Path(__file__).parent.glob("*.py")} - _INDECISIVE),
)
"""The files that decide a sample, relative to this folder: all that the engine imports. Of our
other imported code, only `coral_batch.seeding` and `coral_batch.models.prompts.tokens` affect a
sample."""

_Drawn = tuple[str, Drawn, float]
"""A piece's name, its results, and the seconds since the previous piece."""


@dataclass(frozen=True)
class Work(Unit):
    """A piece of work: a unit, and what identifies its adapter.

    Attributes:
        files: the expected SHA-256 of each file of the adapter's folder; empty without adapter.
    """

    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Drawing:
    """Settings shared by all pieces.

    Attributes:
        samples: answers per prompt, >= 1.
        max_new_tokens: maximum tokens of an answer, >= 1; for answers that must change a program
            see `coral_batch.models.decoding.answer.Writing.encode`.
        seed: the run's seed.
        rank: maximum rank of an adapter, >= 1.
        threads: torch's threads; None for one per core.
        rows: maximum of answers decoded together, >= 1; None for the device's best number.
    """

    samples: int
    max_new_tokens: int
    seed: int
    rank: int
    threads: int | None
    rows: int | None = None


def work_of(
    name: str,
    subject: SubjectRow,
    prompts: Mapping[str, str],
    originals: Mapping[str, Original] | None = None,
    read: Iterable[str] = (),
) -> Work:
    """Return the piece of work for a subject and its prompts."""
    folder = None if subject.folder is None else lake.above(subject.folder)
    read = frozenset(read)
    return Work(name, folder, subject.knobs, prompts, originals or {}, read, subject.files)


def drawing_of(samples: int, max_new_tokens: int, settings: Params) -> Drawing:
    """Return the shared settings of a call's pieces, completed from the run's settings."""
    return Drawing(
        samples,
        max_new_tokens,
        settings.seed,
        max(settings.candidates.r),
        settings.compute.threads,
    )


def draw(
    works: Sequence[Work], drawing: Drawing, base: Path, units: str, store: Store = _STORE
) -> tuple[list[Drawn], list[DurationRow]]:
    """Sample the answers to every prompt of every piece.

    Args:
        works: the pieces, with unique names.
        drawing: their shared settings.
        base: folder of the base model.
        units: the name of pieces, in the plural, for progress messages.
        store: where answers are kept.

    Returns:
        Each piece's results and duration.

    Raises:
        CoralError: the base model does not match its card, an adapter's files do not match the
            record or cannot be used, or a prompt exceeds the context length.
    """
    for work in works:
        _check(work)
    base = base.absolute()
    common = ask(_common, base, drawing, device=True)
    known = {work.name: _known(work, common) for work in works}
    keys = {name: key_of(determinants) for name, determinants in known.items()}
    # Identical pieces are sampled once.
    first: dict[str, Work] = {}
    for work in works:
        first.setdefault(keys[work.name], work)
    found = {key: store.get(KIND, known[work.name]) for key, work in first.items()}
    missing = [work for key, work in first.items() if found[key] is None]
    entries = {key: entry for key, entry in found.items() if entry is not None}
    if missing:
        reusable = len(works) - len(missing)
        say(f"samples: to make for {len(missing)} {units}; {reusable} from the store")
    if cluster():
        drawn_now = _on_cluster(missing, drawing, base, common)
    else:
        drawn_now = deal(devices(), missing, partial(_draw, drawing, base, common))
    if cluster() or len(devices()) > 1:  # else the engine shows its own
        drawn_now = progress(drawn_now, "samples", len(missing), units=units)
    seconds: dict[str, float] = {}
    for name, drawn, took in drawn_now:
        entries[keys[name]] = store.put(KIND, known[name], partial(_write, drawn, took))
        seconds[name] = took
    reused = [keys[name] for name in keys if name not in seconds]
    say_reuse("samples", [_seconds(entries[key]) for key in reused], list(seconds.values()))
    durations = [DurationRow(name, seconds.get(name, 0.0), name not in seconds) for name in keys]
    return [_read(entries[keys[work.name]] / FILE, work) for work in works], durations


def draw_in_turn(
    work: Work, drawing: Drawing, base: Path, store: Store = _STORE
) -> Generator[Sample, None, None]:
    """Sample the answers of a piece with one prompt, and yield them in order as they finish.

    The caller may stop early; the rest is then not sampled. The store keeps the answers only if all
    are finished.

    Args:
        work: the piece.
        drawing: as in `draw`.
        base: as in `draw`.
        store: as in `draw`.

    Raises:
        CoralError: as in `draw`.
    """
    if cluster():
        ((drawn,), _) = draw([work], drawing, base, "prompts", store)
        yield from drawn.samples
        return
    _check(work)
    base = base.absolute()
    common = _common(base, drawing)
    known = _known(work, common)
    if (entry := store.get(KIND, known)) is not None:
        say_reuse("samples", [_seconds(entry)], [])
        yield from _read(entry / FILE, work).samples
        return
    start = time.perf_counter()
    results = _engine(devices()[0], base, common).results(
        [work],
        samples=drawing.samples,
        max_new_tokens=drawing.max_new_tokens,
        seed=drawing.seed,
    )
    drawn = Drawn([], [])
    done: dict[int, Sample] = {}
    given = 0
    with closing(results), progress(None, "samples", drawing.samples, units="answers") as bar:
        for _, one in results:
            if isinstance(one, Look):
                drawn.looks.append(one)
                continue
            drawn.samples.append(one)
            done[one.index] = one
            bar.update()
            if len(done) == drawing.samples:
                # Before the last are yielded, since the caller may stop there.
                whole, seconds = drawn.ordered(work.prompts), time.perf_counter() - start
                store.put(KIND, known, partial(_write, whole, seconds))
            while given in done:
                yield done[given]
                given += 1


def _check(work: Work) -> None:
    """Check that an adapter has the recorded files, since its samples are stored under these."""
    if work.adapter is not None:
        again = "run `dvc repro`, which makes it again"
        check_files(work.adapter, work.files, "the table subjects", again)


def _known(work: Work, common: dict[str, Any]) -> dict[str, Any]:
    """Return the determinants of a piece's answers."""
    return {
        **common,
        "prompts": _digest(dict(work.prompts)),
        "originals": _digest({name: asdict(one) for name, one in work.originals.items()}),
        "read": sorted(work.read),
        "adapter": dict(work.files),
        "knobs": asdict(work.knobs),
    }


def _on_cluster(
    works: Sequence[Work], drawing: Drawing, base: Path, common: dict[str, Any]
) -> Iterator[_Drawn]:
    """Sample on workers; a unit has as many pieces as are decoded together."""
    size = min(SLOTS, -(-len(works) // slots(device=True))) or 1
    placed = [replace(work, adapter=work.adapter and work.adapter.absolute()) for work in works]
    batches = [placed[at : at + size] for at in range(0, len(placed), size)]
    reads = [
        [base / CARD, *(file for work in batch if work.adapter for file in work.adapter.iterdir())]
        for batch in batches
    ]
    units = [(drawing, base, common, batch) for batch in batches]
    for _, drawn in run(_draw_unit, units, device=True, reads=reads):
        yield from drawn


def _draw_unit(
    drawing: Drawing, base: Path, common: dict[str, Any], works: Sequence[Work]
) -> list[_Drawn]:
    """Sample some pieces in a worker of a cluster."""
    here = _common(base, drawing, common["engine"]["rows"])
    require_same("what determines a sample", here, common)
    return list(_draw(drawing, base, common, devices()[0], works))


def _draw(
    drawing: Drawing,
    base: Path,
    common: dict[str, Any],
    device: torch.device,
    works: Sequence[Work],
) -> Iterator[_Drawn]:
    """Sample one device's share of the pieces."""
    engine = _engine(device, base, common)
    start = time.perf_counter()
    for unit, drawn in engine.generate(
        works,
        samples=drawing.samples,
        max_new_tokens=drawing.max_new_tokens,
        seed=drawing.seed,
    ):
        now = time.perf_counter()
        yield unit.name, drawn, now - start
        start = now


def _engine(device: torch.device, base: Path, common: dict[str, Any]) -> Engine:
    """Return an engine, kept by this process for the device's next call."""
    settings = common["engine"]

    def load() -> Engine:
        loaded = load_base(base, device=device)
        return Engine(loaded.model, loaded.tokenizer, **settings)

    return keep(str(device), ("decoding", base, common["base"], *settings.values()), load)


def _common(base: Path, drawing: Drawing, rows: int | None = None) -> dict[str, Any]:
    """Return the determinants of this process's answers, besides prompts, adapter and knobs.

    Args:
        base: folder of the base model.
        drawing: as in `draw`.
        rows: answers decoded together; None for the device's best number.
    """
    if drawing.threads is not None:
        torch.set_num_threads(drawing.threads)
    card = read_card(base)
    if rows is None:
        # Prompts are rarely longer than answers may be. The number must not depend on the call's
        # other prompts, since it decides rounding.
        config = AutoConfig.from_pretrained(base, local_files_only=True)
        tokens_each = 2 * drawing.max_new_tokens
        rows = decoding_rows(devices()[0], config, card.parameters, tokens_each)
        rows = min(rows, drawing.rows or rows)
    rank = -(-drawing.rank // BLOCK) * BLOCK  # smaller ones are padded, so they round alike
    here = Path(__file__).parent
    sources = [here / name for name in DECISIVE]
    sources += [Path(str(module.__file__)) for module in (seeding, tokens)]
    return {
        "base": card.sha256,
        "samples": drawing.samples,
        "max_new_tokens": drawing.max_new_tokens,
        "seed": drawing.seed,
        "engine": {"rows": rows, "adapters": SLOTS, "rank": rank},
        "code": code_sha256(sources),
        "versions": {
            name: version(name) for name in ("torch", "transformers", "tokenizers", "numpy")
        },
        "arithmetic": arithmetic(),
    }


def _write(drawn: Drawn, seconds: float, folder: Path) -> None:
    text = json.dumps(asdict(drawn), indent=1) + "\n"
    (folder / FILE).write_text(text, encoding="utf-8")
    (folder / SECONDS).write_text(f"{seconds:.3f}\n")


def _seconds(entry: Path) -> float:
    """Return the seconds that sampling an entry took."""
    return float(json.loads((entry / SECONDS).read_text()))


def _read(file: Path, work: Work) -> Drawn:
    """Read a piece's results; its prompts may have been in another order when sampled."""
    drawn = lake.build(Drawn, json.loads(file.read_text(encoding="utf-8")))
    return drawn.ordered(work.prompts)


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
