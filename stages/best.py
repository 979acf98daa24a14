"""Stage `best`: the best genome of the run."""

from coral_batch import lake
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.rows import AdapterRow, BestRow, SelectionRow, SubjectRow
from coral_batch.search.best import REFUSED, choose

TABLES = ("best",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    chosen = choose(
        {name: tables.read_rows("selection", SelectionRow, name) for name in settings.generations}
    )
    part, genome = chosen.generation, chosen.row.genome
    adapters = tables.read_rows("adapters", AdapterRow, part)
    adapter = lake.find(adapters, lake.path("adapters", part), genome=genome)
    subjects = tables.read_rows("subjects", SubjectRow, part)
    subject = lake.find(subjects, lake.path("subjects", part), genome=genome)
    return {
        "best": BestRow(
            part,
            genome,
            adapter.key,
            adapter.configuration,
            adapter.knobs,
            chosen.passed,
        ),
        ("subjects", lake.EVALUATIONS["best"]): [subject],
    }


def best() -> None:
    """Pick the best genome of all generations."""
    chosen = run(make)["best"]
    print(f"{chosen.genome} of generation {chosen.generation}")
    if not chosen.passed:
        print(REFUSED)
