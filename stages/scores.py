"""Stage `scores`: the five objectives and the fitness of every repair."""

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.objectives.tables import score_samples
from coral_batch.records.rows import SampleRow
from stages.arguments import Part


def scores(part: Part) -> None:
    """Score the repairs."""
    settings = params.load().objectives
    scored, runtimes = score_samples(
        lake.read_rows("samples", SampleRow, part),
        lake.read_frame("verdicts", part),
        lake.read_frame("findings", part),
        lake.read_frame("case_times", part),
        settings,
    )
    lake.write_frame("runtimes", lake.frame("runtimes", runtimes), part)
    lake.write_frame("scores", lake.frame("scores", scored), part)
