"""Stage `verdicts`: every repair on every case of its problem, in the jail."""

from coral_batch import lake, params
from coral_batch.arguments import Part
from coral_batch.corpus.problem import Problem
from coral_batch.corpus.split import Role, check_selection, select_evaluation
from coral_batch.rows import SampleRow


def verdicts(part: Part) -> None:
    """Run the repairs in the jail."""
    # Imported here: joblib and the jail are not needed by --help.
    from coral_batch.verdicts.tables import judge_samples

    settings = params.load()
    samples = lake.read_rows("samples", SampleRow, part)
    names = {sample.problem for sample in samples}
    if part not in lake.EVALUATIONS.values():  # whose problems the stage `evaluation` has checked
        check_selection(names)
    corpus, manifest = lake.read_rows("problems", Problem), lake.read_rows("manifest", Role)
    problems = [row for row in select_evaluation(corpus, manifest, "all") if row.name in names]
    rows, times = judge_samples(
        samples,
        problems,
        settings.verdicts,
        settings.compute.workers,
        lake.VERDICT_JOURNAL,
        timed=settings.objectives.runtime == "measured",
    )
    lake.write_frame("case_times", lake.frame("case_times", times), part)
    lake.write_frame("verdicts", lake.frame("verdicts", rows), part)
