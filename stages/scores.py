"""Stage `scores`: the objectives and the fitness of every repair."""

from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.objectives.tables import score_samples
from coral_batch.records.problem import Role
from coral_batch.records.rows import SampleRow
from stages.arguments import Part

TABLES = ("scores",)


def make(tables: Tables, settings: Params, part: str) -> Outputs:
    scores = score_samples(
        tables.read_rows("samples", SampleRow, part),
        tables.read_frame("verdicts", part),
        tables.read_frame("findings", part),
        tables.read_frame("case_times", part),
        {row.name: row.role for row in tables.read_rows("manifest", Role)},
        settings.objectives,
    )
    return {"scores": scores}


def scores(part: Part) -> None:
    """Score the repairs."""
    run(make, part)
