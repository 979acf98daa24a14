"""Stage `subjects`: the base model as the subject of both baselines."""

from coral_batch import lake
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.configuration import knobs_at
from coral_batch.records.rows import BASE, SubjectRow

TABLES = ("subjects",)


def make(_: Tables, settings: Params, __: None) -> Outputs:
    base = [SubjectRow(BASE, None, None, {}, knobs_at(settings.sampling.base_temperature))]
    return {("subjects", part): base for part in (lake.VALIDATION_BASE, lake.EVALUATIONS["base"])}


def subjects() -> None:
    """List the base model as the subject of both baselines."""
    run(make)
