"""Stage `linteval_scores`: a model's answers linted, run in the jail and scored."""

from functools import partial

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.linteval.report.text import results
from coral_batch.linteval.scores.metrics import summarise
from coral_batch.records.items import Item, ItemTests
from coral_batch.records.rows import LintSampleRow
from stages.arguments import LintModel


def linteval_scores(model: LintModel) -> None:
    """Score a model's answers."""
    # Imported here: joblib, the linters and the jail are not needed by --help.
    from coral_batch.linteval.scores.tables import score_samples
    from coral_batch.verdicts import judge, layers_in_force

    settings = params.load()
    in_jail = partial(
        judge,
        settings=settings.verdicts,
        workers=settings.compute.workers,
        journal=lake.VERDICT_JOURNAL,
    )
    scored = score_samples(
        lake.read_rows("linteval_samples", LintSampleRow, model),
        lake.read_rows("linteval_items", Item),
        lake.read_rows("linteval_tests", ItemTests),
        in_jail,
        "+".join(layers_in_force(settings.verdicts.require)),
        settings.compute.workers,
    )
    findings = lake.frame("linteval_findings", scored.findings)
    verdicts = lake.frame("linteval_verdicts", scored.verdicts)
    changes = lake.frame("linteval_changes", scored.changes)
    scores = lake.frame("linteval_scores", scored.scores)
    summary = summarise(scores, changes, settings.seed)
    lake.write_frame("linteval_findings", findings, model)
    lake.write_frame("linteval_verdicts", verdicts, model)
    lake.write_frame("linteval_changes", changes, model)
    lake.write_frame("linteval_scores", scores, model)
    print(results({model: summary}))
