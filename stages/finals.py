"""Stage `finals`: the best genomes by selection, which are drawn again before one is best."""

from coral_batch import lake
from coral_batch.lake import find
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.rows import SelectionRow, SubjectRow
from coral_batch.records.settings import Params
from coral_batch.search.best import finalists

TABLES = ("subjects",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    selections = {
        name: tables.read_rows("selection", SelectionRow, name) for name in settings.generations
    }
    subjects = []
    for one in finalists(selections, settings.validation.finalists):
        part = one.generation
        rows = tables.read_rows("subjects", SubjectRow, part)
        subjects.append(find(rows, lake.path("subjects", part), genome=one.row.genome))
    return {("subjects", lake.FINALS): subjects}


def finals() -> None:
    """Name the best genomes by selection, to be drawn again."""
    run(make)
