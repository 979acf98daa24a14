"""Stage `corpus`: the problems of one source, and the roles that it gives them."""

from collections import Counter
from pathlib import Path

from coral_batch import lake
from coral_batch.corpus.readers import READERS
from coral_batch.corpus.roles.assignment import assign
from coral_batch.errors import reading
from coral_batch.lake import params
from coral_batch.lake.stage import Outputs, Params, Tables, run
from stages.arguments import SourceName

TABLES = ("problems", "source_roles", "corpus_dropped")


def make(_: Tables, settings: Params, name: str) -> Outputs:
    source = settings.corpus.sources[name]
    path = Path(source.path)
    with reading(path):
        problems, dropped = READERS[source.reader].read(path)
    return {
        "corpus_dropped": dropped,
        "problems": problems,
        "source_roles": assign(problems, name, source),
    }


def corpus(source: SourceName) -> None:
    """Read a source of problems into the lake."""
    made, path = run(make, source), params.load().corpus.sources[source].path
    problems, dropped = made["problems"], made["corpus_dropped"]
    roles = Counter(row.role for row in made["source_roles"])
    print(f"{len(problems)} problems from {path}: {_counts(roles)}")
    if dropped:
        reasons = Counter(row.reason for row in dropped)
        print(f"{len(dropped)} dropped: {_counts(reasons)}; see", end=" ")
        print(lake.path("corpus_dropped", source))


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.items())
