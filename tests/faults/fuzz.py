"""The fuzzer: change one file of a finished run, run what reads it, see what it does.

A reader either accepts the file and finishes, or refuses it with a `CoralError` and leaves every
file as it was. Anything else is a defect: another exception, a refusal that changed something, a
file written outside the lake and the store.

``python -m tests.faults.fuzz --inputs 10000`` is the long form; it prints what was tried. Each
input has a number and depends on nothing but that and the seed, so ``--start 2500 --inputs 2500``
is the second quarter.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import resource
import shutil
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from coral_batch.commands.cli import is_out_of_memory
from coral_batch.errors import CoralError
from coral_batch.seeding import generator
from coral_batch.work.progress import progress
from coral_batch.work.text import table
from tests.faults.mutations import BYTES, MUTATIONS, PLACES
from tests.faults.readers import READERS, Stage, make_attacked

# What an input may take of memory; a table that claims to be huge must not get it. Beyond what the
# process has by then: memory that an input gave back stays mapped.
MEMORY = 8 << 30
REFUSED, ACCEPTED, DEFECT = "refused", "accepted", "tracebacks"


@dataclass
class Tally:
    """What became of the inputs: kind of file -> outcome -> count, and every defect."""

    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    defects: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        header = ("file", "inputs", ACCEPTED, REFUSED, DEFECT)
        counts = [*self.outcomes.items(), ("total", sum(self.outcomes.values(), Counter()))]
        rows = [
            (kind, str(count.total()), *(str(count[name]) for name in header[2:]))
            for kind, count in counts
        ]
        return table(header, [*rows[:-1], (), rows[-1]], left={"file"})


def fuzz(project: Path, inputs: range, seed: int) -> Tally:
    """Try changed files in a finished project, which is the working directory.

    Args:
        project: the folder that `make_attacked` made.
        inputs: the numbers of the inputs.
        seed: what the inputs depend on besides their numbers.
    """
    tally = Tally()
    files = _Files(project)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    for number in progress(inputs, "fuzz", units="inputs"):
        pages = int(Path("/proc/self/statm").read_text().split()[5])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (limit, before[1]))
        _try(files, number, generator(seed, "fuzz", number), tally)
    resource.setrlimit(resource.RLIMIT_DATA, before)
    return tally


def _try(files: _Files, number: int, random: np.random.Generator, tally: Tally) -> None:
    project = files.root
    kind = [*READERS][number % len(READERS)]
    places = sorted(file for file in project.glob(kind) if file.is_file())
    file = places[int(random.integers(len(places)))]
    original = files.content[file]
    stage = READERS[kind][int(random.integers(len(READERS[kind])))]
    if random.random() < 0.1:
        place = PLACES[int(random.integers(len(PLACES)))]
        name = place.__name__
        place(file)
    else:
        mutations = MUTATIONS.get(file.suffix, BYTES)
        mutation = mutations[int(random.integers(len(mutations)))]
        name = mutation.__name__
        changed = mutation(original, random)
        if changed is None or changed == original:
            return
        file.write_bytes(changed)
    outcome, problem = _outcome(stage)
    touched = files.put_back() - {file}
    strays = [f for f in touched if f.relative_to(project).parts[0] not in {"lake", ".coral"}]
    written = [f for f in touched if project / ".coral" not in f.parents]
    if outcome == REFUSED and (written or not problem):
        problem += f"\nrefused, but changed {written}"
        outcome = DEFECT
    if strays:
        problem += f"\nwrote outside the lake: {strays}"
        outcome = DEFECT
    tally.outcomes.setdefault(kind, Counter())[outcome] += 1
    if outcome == DEFECT:
        what = f"{file.relative_to(project)}, {name}, read by {_name(stage)}"
        tally.defects.append(f"input {number}: {what}\n{problem}")
        print(f"\n{tally.defects[-1]}", flush=True)


class _Files:
    """The files of a folder as they were."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._seen = _stamps(root)
        self.content = {file: file.read_bytes() for file in self._seen}

    def put_back(self) -> set[Path]:
        """Put back what was changed, and return it; what was written as it was does not count."""
        now = _stamps(self.root)
        changed = set()
        for file in self._seen.keys() | now.keys():
            if self._seen.get(file) == now.get(file):
                continue
            if file not in self.content:
                changed.add(file)
                _remove(file)
            elif file.is_symlink() or not file.is_file() or file.read_bytes() != self.content[file]:
                changed.add(file)
                _remove(file)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(self.content[file])
        self._seen = _stamps(self.root)
        return changed


def _stamps(root: Path) -> dict[Path, tuple[int, ...]]:
    """Return what tells a changed file below a folder, without reading it."""
    found = {}
    for folder, folders, files in os.walk(root):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in (*files, *links):
            status = Path(folder, name).lstat()
            found[Path(folder, name)] = (status.st_ino, status.st_size, status.st_ctime_ns)
    return found


def _remove(file: Path) -> None:
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file)
    else:
        file.unlink(missing_ok=True)


def _outcome(stage: Stage) -> tuple[str, str]:
    streams = io.StringIO()
    try:
        with contextlib.redirect_stdout(streams), contextlib.redirect_stderr(streams):
            stage()
    except CoralError as error:
        return REFUSED, str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # The command line tells torch's lack of memory like a `CoralError`.
        if isinstance(error, RuntimeError) and is_out_of_memory(error):
            return REFUSED, str(error)
        return DEFECT, traceback.format_exc()
    return ACCEPTED, ""


def _name(stage: Stage) -> str:
    if isinstance(stage, partial):
        return " ".join((stage.func.__name__, *map(str, stage.args)))
    return stage.__name__


@contextlib.contextmanager
def _project() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="coral-fuzz-") as folder:
        here = Path.cwd()
        os.chdir(folder)
        try:
            make_attacked(Path(folder))
            yield Path(folder).resolve()
        finally:
            os.chdir(here)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with _project() as project_:
        result = fuzz(project_, range(chosen.start, chosen.start + chosen.inputs), chosen.seed)
    print(result)
    raise SystemExit(1 if result.defects else 0)
