"""Stage `corpus`: the problems of one source, each with its role."""

from collections import Counter

from coral_batch import lake
from coral_batch.corpus.readers import reader_of
from coral_batch.corpus.sources.assignment import assign
from coral_batch.corpus.sources.checkout import fetch, place
from coral_batch.errors import reading
from coral_batch.lake import params
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.settings import Params
from stages.arguments import Source

TABLES = ("problems", "corpus_dropped")


def make(_: Tables, settings: Params, source: str) -> Outputs:
    given = settings.corpus.sources[source]
    path, origin = place(given)
    with reading(path):
        problems, dropped = reader_of(given.reader, source).read(path, origin)
    return {
        "corpus_dropped": dropped,
        "problems": assign(problems, given.roles, path, given.exclude),
    }


def corpus(source: Source) -> None:
    """Read a source of problems into the lake."""
    fetch(params.load().corpus.sources[source])
    made = run(make, source)
    problems, dropped = made["problems"], made["corpus_dropped"]
    roles = Counter(problem.role for problem in problems)
    counts = ", ".join(f"{count} {role.replace('_', ' ')}" for role, count in roles.items())
    print(f"{len(problems)} problems from {problems[0].origin}: {counts}")
    if dropped:
        reasons = Counter(row.reason for row in dropped)
        counts = ", ".join(
            f"{count} {reason.replace('_', ' ')}" for reason, count in reasons.items()
        )
        print(f"{len(dropped)} dropped: {counts}; see {lake.path('corpus_dropped', source)}")
