"""Stage `index`: the run at a glance, as the first of its HTML pages."""

from coral_batch import lake
from coral_batch.evidence.summary import Evidence
from coral_batch.lake import find, params
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.example import Example
from coral_batch.records.genome import Genome
from coral_batch.records.rows import (
    BASE,
    AdapterCardRow,
    BestRow,
    SelectionRow,
    TimeRow,
)
from coral_batch.records.settings import Params
from coral_batch.report.metrics import Metrics

TABLES = ("index",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    # Imported here: --help needs no templates.
    from coral_batch.corpus.split.reading import read_problems
    from coral_batch.report.page.identity import identity
    from coral_batch.report.page.index import Run, index_page
    from coral_batch.report.page.lineage import LineageEntry
    from coral_batch.report.reading import read_individuals, read_repairs

    metrics = tables.read_document("metrics", Metrics)
    names = settings.generations
    fates = {name: tables.read_rows("selection", SelectionRow, name) for name in names}
    best = metrics.best
    individuals = {one.genome: one for one in read_individuals(tables, best.generation)}
    genome = find(individuals, lake.path("population", best.generation), id=best.genome)
    run_ = Run(
        metrics=metrics,
        evidence=tables.read_document("evidence", Evidence),
        linteval=tables.read_document("linteval_metrics", dict),
        lineage=[
            LineageEntry(
                name,
                tables.read_rows("population", Genome, name),
                frozenset(row.genome for row in rows if row.survived),
                {row.genome: row.worth for row in rows},
            )
            for name, rows in fates.items()
        ],
        fates=fates,
        best=individuals[genome],
        repairs=(
            read_repairs(tables, settings, best.generation, best.genome),
            read_repairs(tables, settings, lake.VALIDATION_BASE, BASE),
        ),
        origins=sorted({problem.origin for problem in read_problems(tables, settings)}),
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
    """Write the first page of the report, and say what the run shows."""
    from coral_batch.report.claims import claims

    run(make)
    print(claims(lake.read_document("evidence", Evidence)))
