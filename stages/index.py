"""Stage `index`: the run at a glance, as the first of its HTML pages."""

from coral_batch import lake
from coral_batch.evidence.summary import Evidence
from coral_batch.lake import params
from coral_batch.lake.atomic import atomic
from coral_batch.records.genome import Genome
from coral_batch.records.rows import BASE, AdapterCardRow, SelectionRow, TimeRow, find
from coral_batch.report.metrics import Metrics


def index() -> None:
    """Write the first page of the report."""
    # Imported here: --help needs no templates.
    from coral_batch.report.page.identity import identity
    from coral_batch.report.page.index import Run, index_page
    from coral_batch.report.page.lineage import Kin
    from coral_batch.report.reading import read_individuals, read_repairs

    settings = params.load()
    metrics = lake.read_document("metrics", Metrics)
    fates = {name: lake.read_rows("selection", SelectionRow, name) for name in settings.generations}
    best = metrics.best
    individuals = {one.genome: one for one in read_individuals(best.generation)}
    genome = find(individuals, lake.path("population", best.generation), id=best.genome)
    individual = individuals[genome]
    card = find(
        lake.read_rows("adapter_cards", AdapterCardRow, best.generation),
        lake.path("adapter_cards", best.generation),
        key=individual.adapter.key,
    )
    run = Run(
        metrics=metrics,
        evidence=lake.read_document("evidence", Evidence),
        linteval=lake.read_document("linteval_metrics", dict),
        kin=[
            Kin(
                name,
                lake.read_rows("population", Genome, name),
                frozenset(row.genome for row in rows if row.survived),
            )
            for name, rows in fates.items()
        ],
        fates=fates,
        best=individual,
        repairs=(read_repairs(best.generation, best.genome), read_repairs(lake.BASELINE, BASE)),
        weights=settings.objectives.weights,
        times=lake.read_rows("times", TimeRow),
        card=lake.read_document("card", dict),
        adapter=card,
        identity=identity([lake.path(table) for table in ("problems", "manifest", "examples")]),
        params=params.FILE.read_text(encoding="utf-8"),
    )
    with atomic(lake.path("index")) as stream:
        stream.write(index_page(run).encode())
