"""Stage `page`: one part of the lake, such as a generation or the base model, as an HTML page."""

from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.rows import SubjectRow
from stages.arguments import Part

TABLES = ("page",)


def make(tables: Tables, settings: Params, part: str) -> Outputs:
    # Imported here: --help needs no templates.
    from coral_batch.report.page.generation import part_page
    from coral_batch.report.reading import read_individuals, read_repairs

    individuals, only = [], None
    if part in settings.generations:
        individuals = read_individuals(tables, part)
    else:
        only = tables.read_rows("subjects", SubjectRow, part)[0].genome
    return {"page": part_page(part, individuals, read_repairs(tables, settings, part, only))}


def page(part: Part) -> None:
    """Write the page of a part: a generation, the base model or the best genome."""
    run(make, part)
