"""Stage `corpus`: the problems, from the bundled corpus, a checkout or a git URL."""

from coral_batch.corpus.sources.checkout import fetch, source
from coral_batch.corpus.sources.readers.quixbugs import read_layout
from coral_batch.lake import params
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.settings import Params

TABLES = ("problems",)


def make(_: Tables, settings: Params, __: None) -> Outputs:
    return {"problems": read_layout(*source(settings.corpus))}


def corpus() -> None:
    """Read the corpus into the lake."""
    fetch(params.load().corpus)
    problems = run(make)["problems"]
    print(f"{len(problems)} problems from {problems[0].origin}")
