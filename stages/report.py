"""Stage `report`: what the run achieved and took, as tables, plots and on the terminal."""

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.lake.atomic import atomic
from coral_batch.records.rows import AdapterRow, DurationRow, SampleRow, SelectionRow
from coral_batch.report.metrics import Evaluated, evaluate, measure
from coral_batch.report.plots import plots
from coral_batch.report.tables import Timed, measure_times, results, times


def report() -> None:
    """Compare the generations with the base model."""
    settings = params.load()
    generations = [_evaluated(name) for name in settings.generations]
    baseline = lake.read_frame("scores", lake.BASELINE)
    metrics = measure(generations, baseline, settings.objectives.weights)
    for name, content in plots(metrics, generations, baseline).items():
        with atomic(lake.path("plots") / name) as stream:
            stream.write(content.encode())
    lake.write_document("metrics", metrics)
    print(results(metrics))
    print()
    measured = [measure_times(_timed(part)) for part in (lake.BASELINE, *settings.generations)]
    lake.write_rows("times", measured)
    print(times(measured))


def _evaluated(name: str) -> Evaluated:
    return evaluate(
        name,
        lake.read_rows("adapters", AdapterRow, name),
        lake.read_rows("selection", SelectionRow, name),
        lake.read_frame("scores", name),
    )


def _timed(part: str) -> Timed:
    trained = part != lake.BASELINE
    return Timed(
        part,
        lake.read_rows("adapter_durations", DurationRow, part) if trained else [],
        lake.read_rows("sample_durations", DurationRow, part),
        lake.read_frame("case_times", part),
        lake.read_rows("samples", SampleRow, part),
    )
