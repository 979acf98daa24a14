"""`coral doctor`: what this machine has of what a run needs, and what each thing means for one.

Each check is a function that returns its finding; nothing is downloaded or changed.
"""

from __future__ import annotations

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
from coral_batch.work.machine import available_memory, idle, processor

# What the default run was measured to need, with room to spare.
MEMORY = {"bfloat16": 6 << 30, "float32": 10 << 30}
DISK = 6 << 30
# The versions of Python that the whole test suite ran on.
TESTED = ("3.11", "3.12", "3.13")
CONSTRAINTS = Path("constraints.txt")
CACHE = Path(".dvc/cache/files/md5")
_OBJECT = re.compile(r"[0-9a-f]{30}(\.dir)?")
# What DVC writes in place, so that a kill may leave it torn -> what its loss costs.
WRITTEN_IN_PLACE = {
    Path("dvc.lock"): "`dvc repro` takes from the store what was finished",
    Path(".dvc/tmp/rwlock"): "only a running DVC needs it",
}
# torch's names of the extensions that decide how fast matrices are multiplied.
VECTOR = ("avx2", "avx512_f", "avx512_bf16", "amx_bf16", "asimd", "sve", "bf16")


class Grade(StrEnum):
    """What a finding means: a run works, it works but not as well or not the same, it cannot."""

    OK = "ok"
    NOTE = "note"
    FAIL = "FAIL"


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes:
        subject: what was looked at.
        grade: whether it serves.
        found: what is there.
        means: what that means for a run.
    """

    subject: str
    grade: Grade
    found: str
    means: str


def doctor(
    time: Annotated[
        bool, typer.Option("--time", help="Only say how long a run takes here.")
    ] = False,
) -> None:
    """Check this machine: processor, memory, disk, versions, isolation, mirrors, store, cache."""
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
        print(f"\n{failed} of these keep a run from working here")
        raise typer.Exit(1)
    print("\na run works here")


def system(settings: Params) -> Iterator[Finding]:
    """Operating system and Python."""
    found = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    if platform.system() != "Linux":
        yield Finding("system", Grade.FAIL, found, "the jail needs Linux: use a Linux machine")
        return
    tested = f"{', '.join(TESTED[:-1])} and {TESTED[-1]}"
    if ".".join(platform.python_version_tuple()[:2]) in TESTED:
        yield Finding("system", Grade.OK, found, f"supported; tested with Python {tested}")
    else:
        means = f"tested with Python {tested} only; with this one something may fail"
        yield Finding("system", Grade.NOTE, found, means)


def arithmetic(settings: Params) -> Iterator[Finding]:
    """Processor, device and the type that models compute in."""
    # Imported here: torch takes a second, which --help must not.
    from coral_batch.models.base.device import arithmetic as facts

    known = facts()
    cores = len(os.sched_getaffinity(0))
    vector = [name for name in VECTOR if known.get("processor", {}).get(name)]
    found = f"{processor()}, {cores} cores, {', '.join(vector) or 'no vector extensions'}"
    if known["device"] == "cuda":
        yield Finding("processor", Grade.OK, found, "models run on the GPU")
        yield Finding("device", Grade.OK, known["device"], f"models compute in {known['dtype']}")
        return
    if known["dtype"] == "bfloat16":
        means = "bf16 in hardware: models compute in it"
        yield Finding("processor", Grade.OK, found, means)
    else:
        hidden = any("bf16" in name for name in vector)
        why = "oneDNN is told not to use bf16" if hidden else "no bf16 in hardware"
        means = f"{why}: models compute in {known['dtype']}, about half as fast"
        yield Finding("processor", Grade.NOTE, found, means)
    means = f"models run on the processor, with {known['threads']} threads"
    yield Finding("device", Grade.OK, "no GPU that torch can use", means)


def load(settings: Params) -> Iterator[Finding]:
    """Whether the processor is free."""
    if idle():
        yield Finding("load", Grade.OK, "nothing else is running", "all cores are free for a run")
    else:
        means = "beside it answers are drawn many times slower, since threads wait for one another"
        yield Finding("load", Grade.NOTE, "something else is running", means)


def duration(settings: Params) -> Iterator[Finding]:
    """How long a run will take."""
    # Imported here: torch takes a second, which --help must not.
    from coral_batch.commands.duration import minutes, product_rate, unlike_measured
    from coral_batch.models.base.device import compute_dtype, devices

    (device, *_) = devices()
    if device.type == "cuda":
        means = "an earlier default run took about 12 minutes on an NVIDIA H200 beside 16 cores"
        yield Finding("time", Grade.OK, "not estimated on a GPU", means)
        return
    dtype = compute_dtype(device)
    rate = product_rate(dtype)
    parts = minutes(settings, rate, dtype)
    told = ", ".join(f"{what} {part:.0f}" for what, part in parts.items())
    means = f"a run takes about {sum(parts.values()):.0f} minutes of a quiet machine: {told}"
    grade = Grade.OK
    if changed := unlike_measured(settings):
        grade, means = Grade.NOTE, f"{means}; not counting that {', '.join(changed)} changed"
    yield Finding("time", grade, f"{rate / 1e9:.0f} GFLOP/s of matrix products", means)


def memory(settings: Params) -> Iterator[Finding]:
    """Memory that is free or can be freed."""
    from coral_batch.models.base.device import arithmetic as facts

    available, needed = available_memory(), MEMORY[facts()["dtype"]]
    found = f"{size_text(available)} available"
    if available < needed:
        means = (
            f"the default run needs up to {size_text(needed)} for two adapters side by side: with"
            " less they train one at a time"
        )
        yield Finding("memory", Grade.NOTE, found, means)
    else:
        yield Finding("memory", Grade.OK, found, "enough for the default base model")


def disk(settings: Params) -> Iterator[Finding]:
    """Room where the lake and the store lie, and whether they can be written."""
    free = shutil.disk_usage(".").free
    found = f"{size_text(free)} free in {Path.cwd()}"
    if not os.access(".", os.W_OK):
        yield Finding("disk", Grade.FAIL, f"{Path.cwd()} is read-only", "nothing can be written")
    elif free < DISK:
        means = f"base model, store and DVC's cache take up to {size_text(DISK)} in the default run"
        yield Finding("disk", Grade.NOTE, found, means)
    else:
        yield Finding("disk", Grade.OK, found, "enough for the default run")


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
        means = "results may differ from those of the pins; `make setup` installs these"
        yield Finding("versions", Grade.NOTE, ", ".join(other), means)
    else:
        found = f"as pinned in {CONSTRAINTS}; torch {version('torch')}, peft {version('peft')}"
        yield Finding("versions", Grade.OK, found, "the versions that the tests ran with")


def isolation(settings: Params) -> Iterator[Finding]:
    """The jail's layers, found out by trying."""
    # Imported here: it needs libseccomp and starts a process, which --help must not.
    from coral_batch.verdicts.layers import isolation as try_out

    found = try_out(())
    if found.layers:
        means = "in force, tried just now"
        yield Finding("isolation", Grade.OK, ", ".join(found.layers), means)
    for layer, why in found.missing.items():
        if layer in settings.verdicts.require:
            means = "required by verdicts.require in params.yaml: no program will be run"
            yield Finding("isolation", Grade.FAIL, f"{layer} missing: {why}", means)
        else:
            means = "not required; verdicts record that it was not in force"
            yield Finding("isolation", Grade.NOTE, f"{layer} missing: {why}", means)


def jails(settings: Params) -> Iterator[Finding]:
    """What memory programs may take that run side by side."""
    # Imported here: joblib takes a moment, which --help must not.
    from coral_batch.verdicts.memory import workers_that_fit

    each = settings.verdicts.memory_mb
    try:
        count = workers_that_fit(settings.compute.workers, each)
    except CoralError as error:
        yield Finding("jails", Grade.FAIL, f"programs of {each} MiB", str(error))
        return
    found = f"{count or 'the cluster'} side by side, each with {each} MiB"
    yield Finding("jails", Grade.OK, found, "fits into what is free")


def workers(settings: Params) -> Iterator[Finding]:
    """Where the work is done, and whether each worker of a cluster can do it."""
    # Imported here: joblib and Dask take a moment, which --help must not.
    from coral_batch.verdicts.layers import isolation as try_out
    from coral_batch.work.address import ADDRESS, cluster
    from coral_batch.work.parallel import dask

    address = cluster()
    if address is None:
        means = f"all work is done here; {ADDRESS} would name a Dask cluster"
        yield Finding("workers", Grade.OK, "processes of this machine", means)
        return
    try:
        found = dask().everywhere(address, try_out, settings.verdicts.require)
    except CoralError as error:
        yield Finding("workers", Grade.FAIL, f"{ADDRESS}={address}", str(error))
        return
    able = [device for device, objection in found.values() if objection is None]
    for name, (_, objection) in found.items():
        if objection is not None:
            yield Finding("workers", Grade.FAIL, name, f"it would refuse work: {objection}")
    what = f"{len(able)} workers of {address}, of which {sum(able)} offer a device"
    if any(able):
        yield Finding("workers", Grade.OK, what, "they do the work")
    else:
        means = "training and decoding wait for one that offers a device (--resources device=1)"
        yield Finding("workers", Grade.NOTE, what, means)


def mirrors(settings: Params) -> Iterator[Finding]:
    """Where the base model is to be had."""
    # Imported here: the hub's client takes a second, which --help must not.
    from coral_batch.models.base.catalogue import CATALOGUE
    from coral_batch.models.base.download import mirrors as probe

    model = settings.base.model
    if lake.path("card").is_file():
        means = "nothing has to be downloaded unless base.model changes"
        yield Finding("base", Grade.OK, f"{lake.path('base')} is there", means)
    if model not in CATALOGUE:
        means = "not in the catalogue: the stage `base` says whether it is to be had"
        yield Finding("mirrors", Grade.NOTE, f"base.model is {model}", means)
        return
    answers = probe(CATALOGUE[model])
    for name, why in answers.items():
        if why is None:
            yield Finding("mirrors", Grade.OK, name, f"has {CATALOGUE[model].file}")
        elif any(answer is None for answer in answers.values()) or lake.path("card").is_file():
            yield Finding("mirrors", Grade.OK, f"not {name}: {why}", "not needed")
        else:
            means = "no mirror answers: connect, or put the file where `coral base` says"
            yield Finding("mirrors", Grade.FAIL, f"not {name}: {why}", means)


def store(settings: Params) -> Iterator[Finding]:
    """What the store and the downloads take."""
    entries = list(Store(lake.STORE).entries())
    size = sum(entry.bytes for entry in entries)
    files = [file for file in lake.DOWNLOADS.rglob("*") if file.is_file()]
    downloads = sum(file.stat().st_size for file in files)
    found = f"{len(entries)} entries, {size_text(size)}; downloads {size_text(downloads)}"
    means = "finished work that no run does again; `coral store prune` makes room"
    yield Finding("store", Grade.OK, found, means)


def cache(settings: Params) -> Iterator[Finding]:
    """Whether DVC's own files are whole: its cache, which it takes for granted, and its locks."""
    for file in torn(Path()):
        means = f"DVC stops at it: rm {file}; {WRITTEN_IN_PLACE[file]}"
        yield Finding(file.name, Grade.FAIL, "no lock file, as a kill may leave it", means)
    # A killed DVC leaves what it was copying, under another name, which it never reads.
    objects = sorted(file for file in CACHE.glob("??/*") if _OBJECT.fullmatch(file.name))
    damaged = [file for file in objects if found_md5(file) != file.parent.name + file.name[:30]]
    if damaged:
        means = f"DVC would put them into the lake: rm -f {' '.join(map(str, damaged))}"
        found = f"{len(damaged)} of {len(objects)} files are damaged, as a power cut leaves them"
        yield Finding("cache", Grade.FAIL, found, means)
    else:
        found = f"{len(objects)} files, each with the hash that names it"
        yield Finding("cache", Grade.OK, found, "DVC can bring back what it replaced")


def torn(project: Path) -> list[Path]:
    """Return DVC's own files that a kill left torn, relative to the project."""
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
