"""Stage `corpus`: the problems of one source, each with its role."""

from collections import Counter

from coral_batch.corpus.sources.checkout import fetch, place
from coral_batch.corpus.sources.readers import reader_of
from coral_batch.corpus.split.assignment import assign
from coral_batch.lake import params
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.settings import Params
from stages.arguments import Source

TABLES = ("problems",)


def make(_: Tables, settings: Params, source: str) -> Outputs:
    given = settings.corpus.sources[source]
    path, origin = place(given)
    problems = reader_of(given.reader).read(path, origin)
    return {"problems": assign(problems, given.roles, path)}


def corpus(source: Source) -> None:
    """Read a source of problems into the lake."""
    fetch(params.load().corpus.sources[source])
    problems = run(make, source)["problems"]
    roles = Counter(problem.role for problem in problems)
    counts = ", ".join(f"{count} {role.replace('_', ' ')}" for role, count in roles.items())
    print(f"{len(problems)} problems from {problems[0].origin}: {counts}")
