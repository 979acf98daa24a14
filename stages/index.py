"""Stage `index`: the first page of the report."""

from coral_batch import lake
from coral_batch.evidence.summary import Evidence
from coral_batch.lake.stage import Outputs, Params, Tables, run

TABLES = ("index",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    # Imported here: --help needs no templates.
    from coral_batch.report.page.index import index_page

    return {"index": index_page(tables, settings)}


def index() -> None:
    """Write the first page of the report and print the evidence."""
    from coral_batch.report.claims import claims

    run(make)
    print(claims(lake.read_document("evidence", Evidence)))
