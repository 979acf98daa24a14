"""Read a finished run from a folder or a revision, for `coral compare`."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import polars as pl

from coral_batch import lake
from coral_batch.errors import CoralError, apart, reading
from coral_batch.evidence.paired import Outcome
from coral_batch.evidence.summary import SELECTION, Evidence, first_changes, outcomes
from coral_batch.lake import find
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.problem import Bug, Role, program_of
from coral_batch.records.rows import AdapterRow, BestRow, FirstChangeRow, SelectionRow
from coral_batch.records.settings import Scores
from coral_batch.report.metrics import Metrics

TABLES = (
    *("best", "bugs", "evidence", "manifest", "metrics"),
    *("adapters", "selection", "scores", "first_changes"),
)


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes:
        name: the folder or the revision.
        evidence: its comparison with the base model.
        best: its best genome.
        objectives: of the best genome, a selection score.
        outcomes: set of problems (as in the evidence) -> problem -> the best genome's outcome.
        first_changes: measure (as in the evidence) -> held-out problem -> the best genome's value.
        problems: problem -> SHA-256 of its content.
        genomes: genome -> its adapter's configuration and its knobs, in order of birth.
    """

    name: str
    evidence: Evidence
    best: BestRow
    objectives: Scores
    outcomes: dict[str, dict[str, Outcome]]
    first_changes: dict[str, dict[str, float]]
    problems: dict[str, str]
    genomes: dict[str, tuple[AdapterConfiguration, Knobs]]


def read_run(name: str) -> Run:
    """Read a run.

    Args:
        name: a folder that is a lake or holds one, or a git revision or DVC experiment of this
            repository.

    Raises:
        CoralError: the run does not exist, is not finished, its tables are unavailable, or another
            version of coral-batch wrote them.
    """
    with _lake_of(name) as root, lake.at(root):
        try:
            return _read(name)
        except lake.BrokenTable as error:
            raise CoralError(
                "another version of coral-batch made this run, or its tables were changed",
                file=lake.below(error.table),
                field=name,
                found="a table that breaks this version's schema",
                action="use the code of the run's commit, or run `dvc repro` there with this code",
            ) from None


def _read(name: str) -> Run:
    """Read the run of the current lake."""
    best = lake.read_document("best", BestRow)
    of_best = pl.col("genome") == best.genome
    found = {SELECTION: outcomes(lake.read_frame("scores", best.generation).filter(of_best))}
    measured = lake.read_frame("scores", lake.EVALUATIONS["best"])
    evidence = lake.read_document("evidence", Evidence)
    if {*measured["genome"], evidence.best} != {best.genome} or evidence.key != best.key:
        file = lake.path("scores", lake.EVALUATIONS["best"])
        raise apart(f"results of another genome than the best one, {best.genome}", file)
    roles = dict(measured.select("problem", "role").iter_rows())
    for problem, outcome in outcomes(measured).items():
        found.setdefault(roles[problem], {})[problem] = outcome
    looks = lake.read_rows("first_changes", FirstChangeRow, lake.EVALUATIONS["best"])
    held_out = found.get("held_out", {})
    fates = lake.read_rows("selection", SelectionRow, best.generation)
    genomes = {
        row.genome: (row.configuration, row.knobs)
        for generation in lake.read_document("metrics", Metrics).generations
        for row in lake.read_rows("adapters", AdapterRow, generation)
    }
    programs = {row.name: row.sha256 for row in lake.read_rows("manifest", Role)}
    # A bug is identified by its program (with cases) and its code.
    bugs = {}
    for row in lake.read_rows("bugs", Bug):
        if program_of(row.id) not in programs:
            raise apart(f"{row.id}, a bug of an unknown problem", lake.path("bugs"))
        bugs[row.id] = _hash(programs[program_of(row.id)], row)
    return Run(
        name,
        evidence,
        best,
        find(fates, lake.path("selection", best.generation), genome=best.genome).objectives,
        found,
        first_changes(row for row in looks if row.problem in held_out),
        programs | bugs,
        genomes,
    )


def _hash(program: str, bug: Bug) -> str:
    return hashlib.sha256(f"{program} {bug.buggy}".encode()).hexdigest()


@contextmanager
def _lake_of(name: str) -> Iterator[Path]:
    """Yield the root of a run's lake; a revision is fetched into a temporary folder."""
    folder = Path(name)
    with reading(folder):
        there = folder.is_dir()
        roots = [
            root for root in (folder / lake.ROOT, folder) if (root / lake.PLACES["best"]).is_file()
        ]
    if roots:
        yield roots[0]
        return
    if there:
        raise CoralError(
            "no finished run in this folder",
            file=folder,
            expected=f"{lake.ROOT / lake.PLACES['best']}",
            action="run `dvc repro` there",
        )
    with tempfile.TemporaryDirectory(prefix="coral-compare-") as temporary:
        root = Path(temporary)
        _fetch(name, root)
        yield root


def _fetch(revision: str, root: Path) -> None:
    """Copy `TABLES` of a revision from DVC's cache or its remote."""
    # Imported here: DVC takes a second to import.
    from dvc.api import DVCFileSystem
    from dvc.exceptions import DvcException
    from scmrepo.exceptions import SCMError

    names = {PurePosixPath(lake.PLACES[table]).name for table in TABLES}
    try:
        files = DVCFileSystem(repo=".", rev=revision)
        found = [file for file in files.find(str(lake.ROOT)) if PurePosixPath(file).name in names]
        for file in found:
            target = root / PurePosixPath(file.lstrip("/")).relative_to(lake.ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            files.get_file(file, str(target))
    except (DvcException, SCMError, OSError) as error:
        raise CoralError(
            "cannot load run",
            field=revision,
            found=str(error) or type(error).__name__,
            expected="a folder with a lake, a git revision or a DVC experiment of this repository",
            action="`dvc exp show` lists experiments, `dvc fetch` fills the cache",
        ) from None
    if not all((root / lake.PLACES[table]).is_file() for table in ("best", "evidence", "metrics")):
        raise CoralError(
            "no finished run in this revision",
            field=revision,
            expected="a dvc.lock with the stages `evidence` and `results`, and DVC's cache of them",
            action="check it out and run `dvc repro`, then commit dvc.lock",
        )
