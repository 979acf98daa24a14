"""`coral doctor`: checks whether this machine can run everything.

Each check is a function that yields its findings; nothing is downloaded or changed.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer
from ruamel.yaml import YAML, YAMLError
from voluptuous import Invalid

from coral_batch import lake
from coral_batch.audit.hashes import found_md5
from coral_batch.commands.store import size_text
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.store import Store
from coral_batch.records.settings import Params
from coral_batch.work.address import ADDRESS, cluster
from coral_batch.work.machine import available_memory, idle, processor

# Measured needs of the default run, with a margin.
MEMORY = {"bfloat16": 6 << 30, "float32": 10 << 30}
DISK = 6 << 30
# Python versions that the whole test suite ran on.
TESTED = ("3.11", "3.12", "3.13")
CONSTRAINTS = Path("constraints.txt")
CACHE = Path(".dvc/cache/files/md5")
_OBJECT = re.compile(r"[0-9a-f]{30}(\.dir)?")
# Files that DVC writes in place, so a kill can truncate them -> what losing them costs.
WRITTEN_IN_PLACE = {
    Path("dvc.lock"): "`dvc repro` takes finished work from the store",
    Path(".dvc/tmp/rwlock"): "only a running DVC needs it",
}
# torch's names of the CPU extensions that speed up matrix products.
VECTOR = ("avx2", "avx512_f", "avx512_bf16", "amx_bf16", "asimd", "sve", "bf16")


class Grade(StrEnum):
    """Whether a run works, works with limitations, or does not work."""

    OK = "ok"
    NOTE = "note"
    FAIL = "FAIL"


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes:
        subject: what was checked.
        found: the result.
        means: the consequence for a run.
        grade: how good it is.
    """

    subject: str
    found: str
    means: str
    grade: Grade = Grade.OK


def doctor(
    time: Annotated[
        bool, typer.Option("--time", help="Only say how long a run takes here.")
    ] = False,
) -> None:
    """Check this machine: processor, memory, disk, versions, isolation, mirrors, store, cache."""
    if platform.system() != "Linux":
        raise CoralError("a run needs Linux, for the jail", found=platform.system())
    settings = params.load()
    if time:
        for finding in duration(settings):
            print(finding.means)
        return
    failed = 0
    for check in CHECKS:
        for finding in check(settings):
            failed += finding.grade is Grade.FAIL
            print(f"{finding.grade:<4}  {finding.subject:<10}  {finding.found}")
            print(f"{'':<18}-> {finding.means}")
    if failed:
        print(f"\na run will not work here; failed checks: {failed}")
        raise typer.Exit(1)
    print("\na run works here")


def system(settings: Params) -> Iterator[Finding]:
    """Operating system and Python."""
    found = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    tested = f"{', '.join(TESTED[:-1])} and {TESTED[-1]}"
    if ".".join(platform.python_version_tuple()[:2]) in TESTED:
        yield Finding("system", found, f"supported; tested with Python {tested}")
    else:
        means = f"only tested with Python {tested}; this version may fail"
        yield Finding("system", found, means, Grade.NOTE)


def arithmetic(settings: Params) -> Iterator[Finding]:
    """Processor, device and dtype."""
    # Imported here: torch takes a second, which --help must not.
    from coral_batch.models.base.device import arithmetic as facts

    known = facts()
    cores = len(os.sched_getaffinity(0))
    vector = [name for name in VECTOR if known.get("processor", {}).get(name)]
    found = f"{processor()}, {cores} cores, {', '.join(vector) or 'no vector extensions'}"
    if known["device"] == "cuda":
        yield Finding("processor", found, "models run on the GPU")
        yield Finding("device", known["device"], f"models compute in {known['dtype']}")
        return
    if known["dtype"] == "bfloat16":
        yield Finding("processor", found, "bf16 in hardware: models use it")
    else:
        hidden = any("bf16" in name for name in vector)
        why = "oneDNN is set not to use bf16" if hidden else "no bf16 in hardware"
        means = f"{why}: models compute in {known['dtype']}, about half as fast"
        yield Finding("processor", found, means, Grade.NOTE)
    means = f"models run on the processor, with {known['threads']} threads"
    yield Finding("device", "no GPU that torch can use", means)


def load(settings: Params) -> Iterator[Finding]:
    """Whether the processor is free."""
    if idle():
        yield Finding("load", "nothing else is running", "all cores are free for a run")
    else:
        means = "drawing answers will be many times slower, since threads wait for one another"
        yield Finding("load", "something else is running", means, Grade.NOTE)


def duration(settings: Params) -> Iterator[Finding]:
    """How long a run will take."""
    if cluster():
        yield Finding("time", "the workers do the work", "not estimated on a cluster")
        return
    # Imported here: torch takes a second, which --help must not.
    from coral_batch.commands.duration import minutes, product_rate, unlike_measured
    from coral_batch.models.base.device import compute_dtype, devices

    (device, *_) = devices()
    if device.type == "cuda":
        means = "an earlier default run took about 12 minutes on an NVIDIA H200 with 16 cores"
        yield Finding("time", "not estimated on a GPU", means)
        return
    dtype = compute_dtype(device)
    # Asked first: the threads of the product below go on running for a while.
    when = "" if idle() else " under the present load"
    rate = product_rate(dtype)
    parts = minutes(settings, rate, dtype)
    split = ", ".join(f"{name} {part:.0f}" for name, part in parts.items())
    means = f"a run takes about {sum(parts.values()):.0f} minutes{when}: {split}"
    found = f"{rate / 1e9:.0f} GFLOP/s of matrix products"
    if changed := unlike_measured(settings):
        means += f"; ignores the changed {', '.join(changed)}"
    yield Finding("time", found, means, Grade.NOTE if changed else Grade.OK)


def memory(settings: Params) -> Iterator[Finding]:
    """Available memory."""
    from coral_batch.models.base.device import arithmetic as facts

    available, needed = available_memory(), MEMORY[facts()["dtype"]]
    found = f"{size_text(available)} available"
    if available < needed:
        means = (
            f"the default run needs up to {size_text(needed)} to train two adapters in parallel;"
            " with less it trains one at a time"
        )
        yield Finding("memory", found, means, Grade.NOTE)
    else:
        yield Finding("memory", found, "enough for the default base model")


def disk(settings: Params) -> Iterator[Finding]:
    """Free space for lake and store, and write access."""
    free = shutil.disk_usage(".").free
    found = f"{size_text(free)} free in {Path.cwd()}"
    if not os.access(".", os.W_OK):
        yield Finding("disk", f"{Path.cwd()} is read-only", "nothing can be written", Grade.FAIL)
    elif free < DISK:
        means = f"base model, store and DVC's cache take up to {size_text(DISK)} in the default run"
        yield Finding("disk", found, means, Grade.NOTE)
    else:
        yield Finding("disk", found, "enough for the default run")


def versions(settings: Params) -> Iterator[Finding]:
    """Installed packages against the pins."""
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", CONSTRAINTS.read_text(), re.MULTILINE))
    other = []
    for name, pinned in pins.items():
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue
        # A local label such as +cpu names the build, not the version.
        if installed.partition("+")[0] != pinned:
            other.append(f"{name} {installed} (pinned {pinned})")
    if other:
        means = "results may differ from the pinned versions; `make setup` installs those"
        yield Finding("versions", ", ".join(other), means, Grade.NOTE)
    else:
        found = f"as pinned in {CONSTRAINTS}; torch {version('torch')}, peft {version('peft')}"
        yield Finding("versions", found, "the versions that were tested")


def isolation(settings: Params) -> Iterator[Finding]:
    """The jail's layers, each tried out."""
    # Imported here: it needs libseccomp and starts a process, which --help must not.
    from coral_batch.verdicts.layers import isolation as try_out

    sources = settings.corpus.sources.values()
    if cluster() and not any(source.reader == "folder" for source in sources):
        return  # no program runs here; `workers` asks those that run them
    found = try_out(())
    if found.layers:
        yield Finding("isolation", ", ".join(found.layers), "in force, just tried")
    for layer, why in found.missing.items():
        if layer in settings.verdicts.require:
            means = "required by verdicts.require: no program will run; docs/jail.md helps"
            yield Finding("isolation", f"{layer} missing: {why}", means, Grade.FAIL)
        else:
            means = "not required; verdicts record that it was not in force"
            yield Finding("isolation", f"{layer} missing: {why}", means, Grade.NOTE)


def jails(settings: Params) -> Iterator[Finding]:
    """How many programs fit into memory in parallel."""
    # Imported here: joblib takes a moment, which --help must not.
    from coral_batch.verdicts.pool import workers_that_fit

    each = settings.verdicts.memory_mb
    try:
        count = workers_that_fit(settings.compute.workers, each)
    except CoralError as error:
        yield Finding("jails", f"programs of {each} MiB", str(error), Grade.FAIL)
        return
    if count:
        found = f"{count} in parallel, {each} MiB each"
        yield Finding("jails", found, "fits into free memory")


def workers(settings: Params) -> Iterator[Finding]:
    """Where work runs, and whether each worker of a cluster can do it."""
    # Imported here: joblib and Dask take a moment, which --help must not.
    from coral_batch.verdicts.layers import isolation as try_out
    from coral_batch.work.parallel import dask

    address = cluster()
    if address is None:
        means = f"all work runs here; set {ADDRESS} to use a Dask cluster"
        yield Finding("workers", "local processes", means)
        return
    try:
        found = dask().everywhere(address, try_out, settings.verdicts.require)
    except CoralError as error:
        yield Finding("workers", f"{ADDRESS}={address}", str(error), Grade.FAIL)
        return
    able = [device for device, objection in found.values() if objection is None]
    for name, (_, objection) in found.items():
        if objection is not None:
            yield Finding("workers", name, f"it would refuse work: {objection}", Grade.FAIL)
    count = f"{len(able)} workers of {address}, {sum(able)} with a device"
    if any(able):
        yield Finding("workers", count, "all work runs there")
    else:
        means = "training and decoding wait for a worker with a device (--resources device=1)"
        yield Finding("workers", count, means, Grade.NOTE)


def mirrors(settings: Params) -> Iterator[Finding]:
    """Where the base model can be downloaded."""
    # Imported here: the hub's client takes a second, which --help must not.
    from coral_batch.models.base.catalogue import CATALOGUE
    from coral_batch.models.base.checkpoint import read_card
    from coral_batch.models.base.download import mirrors as probe

    model, revision = settings.base.model, settings.base.revision
    known = False
    with contextlib.suppress(CoralError):
        # Of a local folder, the card has the name alone.
        card = read_card(lake.path("base"))
        named = card.name in (model, Path(model).resolve().name)
        known = named and revision in (None, card.revision)
    if known:
        means = "no download needed unless base.model or base.revision changes"
        yield Finding("base", f"{lake.path('base')} exists", means)
    if model not in CATALOGUE:
        means = "not in the catalogue: the stage `base` checks whether it is available"
        yield Finding("mirrors", f"base.model is {model}", means, Grade.NOTE)
        return
    file = lake.DOWNLOADS / CATALOGUE[model].file
    if file.is_file() and file.stat().st_size == CATALOGUE[model].size:
        known = True
        yield Finding("downloads", f"{file} exists", "no download needed")
    answers = probe(CATALOGUE[model])
    for name, why in answers.items():
        if why is None:
            yield Finding("mirrors", name, f"has {CATALOGUE[model].file}")
        elif known or any(answer is None for answer in answers.values()):
            yield Finding("mirrors", f"{name} failed: {why}", "not needed")
        else:
            means = "no mirror answers: go online, or put the file where `coral base` says"
            yield Finding("mirrors", f"{name} failed: {why}", means, Grade.FAIL)


def store(settings: Params) -> Iterator[Finding]:
    """Size of the store and the downloads."""
    entries = list(Store(lake.STORE).entries())
    size = sum(entry.bytes for entry in entries)
    files = [file for file in lake.DOWNLOADS.rglob("*") if file.is_file()]
    downloads = sum(file.stat().st_size for file in files)
    found = f"{len(entries)} entries, {size_text(size)}; downloads {size_text(downloads)}"
    yield Finding(
        "store", found, "finished work that runs reuse; `coral store prune --unused 30` frees space"
    )


def cache(settings: Params) -> Iterator[Finding]:
    """Whether DVC's lock files and its cache, which it does not check itself, are intact."""
    for file in torn(Path()):
        means = f"DVC fails on it: rm {file}; {WRITTEN_IN_PLACE[file]}"
        yield Finding(file.name, "damaged, e.g. by a kill", means, Grade.FAIL)
    # A killed DVC leaves partial copies under other names, which it never reads.
    objects = sorted(file for file in CACHE.glob("??/*") if _OBJECT.fullmatch(file.name))
    damaged = [file for file in objects if found_md5(file) != file.parent.name + file.name[:30]]
    if damaged:
        means = f"DVC would copy them into the lake: rm -f {' '.join(map(str, damaged))}"
        found = f"{len(damaged)} of {len(objects)} files are damaged, e.g. by a power cut"
        yield Finding("cache", found, means, Grade.FAIL)
    elif objects:
        found = f"{len(objects)} files with correct hashes"
        yield Finding("cache", found, "DVC can restore earlier outputs")
    else:
        yield Finding("cache", f"no files in {CACHE}", "a cache elsewhere is not checked")


def torn(project: Path) -> list[Path]:
    """Return DVC's own files that a kill truncated, relative to the project."""
    # Imported here: DVC takes a second, which --help must not.
    from dvc import rwlock, schema

    shapes = (schema.COMPILED_LOCKFILE_SCHEMA, rwlock.SCHEMA)
    return [
        file
        for file, shape in zip(WRITTEN_IN_PLACE, shapes, strict=True)
        if (project / file).exists() and not _has_shape(project / file, shape)
    ]


def _has_shape(file: Path, shape: Callable[[Any], Any]) -> bool:
    """Whether a file is YAML (or JSON) that DVC's own schema accepts."""
    try:
        shape(YAML(typ="safe").load(file))
    except (YAMLError, OSError, UnicodeDecodeError, Invalid):
        return False
    return True


CHECKS: tuple[Callable[[Params], Iterator[Finding]], ...] = (
    system,
    arithmetic,
    load,
    duration,
    memory,
    disk,
    versions,
    isolation,
    jails,
    workers,
    mirrors,
    store,
    cache,
)
