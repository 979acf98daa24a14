"""Stage `index`: the first page of the report."""

from coral_batch import lake
from coral_batch.evidence.summary import Evidence
from coral_batch.lake import find, params
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.example import Example
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Role
from coral_batch.records.rows import AdapterCardRow, BestRow, SelectionRow, TimeRow
from coral_batch.records.settings import Params
from coral_batch.report.metrics import Metrics

TABLES = ("index",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    # Imported here: --help needs no templates.
    from coral_batch.report.page.identity import identity
    from coral_batch.report.page.index import Run, index_page

    names = settings.generations
    run_ = Run(
        metrics=tables.read_document("metrics", Metrics),
        evidence=tables.read_document("evidence", Evidence),
        linteval=tables.read_document("linteval_metrics", dict),
        genomes=[row for name in names for row in tables.read_rows("population", Genome, name)],
        fates={name: tables.read_rows("selection", SelectionRow, name) for name in names},
        roles=tables.read_rows("manifest", Role),
        seed=settings.seed,
        select=settings.evolution.select,
        weights=settings.objectives.weights,
        times=tables.read_rows("times", TimeRow),
        card=tables.read_document("card", dict),
        adapter=_exported(tables),
        identity=identity(
            [
                *(lake.path("problems", source) for source in settings.corpus.sources),
                *(lake.path(table) for table in ("manifest", "bugs", "examples")),
            ]
        ),
        taught=any(row.lint for row in tables.read_rows("examples", Example)),
        params=params.FILE.read_text(encoding="utf-8"),
    )
    return {"index": index_page(run_)}


def _exported(tables: Tables) -> AdapterCardRow:
    best = tables.read_document("best", BestRow)
    cards = tables.read_rows("adapter_cards", AdapterCardRow, best.generation)
    return find(cards, lake.path("adapter_cards", best.generation), key=best.key)


def index() -> None:
    """Write the first page of the report and print the evidence."""
    from coral_batch.report.claims import claims

    run(make)
    print(claims(lake.read_document("evidence", Evidence)))
