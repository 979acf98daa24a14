"""Stage `linteval_scores`: a model's answers linted, run in the jail and scored."""

from functools import partial

from coral_batch import lake
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.items import Item, ItemTests
from coral_batch.records.rows import LintSampleRow
from stages.arguments import LintModel

TABLES = ("linteval_verdicts", "linteval_findings", "linteval_changes", "linteval_scores")

_journal = partial(lake.journal, "linteval_scores")


def make(tables: Tables, settings: Params, model: str) -> Outputs:
    # Imported here: joblib and the linters are not needed by --help.
    from coral_batch.linteval.scores.tables import score_samples
    from coral_batch.verdicts import pool

    scored = score_samples(
        tables.read_rows("linteval_samples", LintSampleRow, model),
        tables.read_rows("linteval_items", Item),
        tables.read_rows("linteval_tests", ItemTests),
        pool.judge_of(settings, _journal(model)),
        settings.compute.workers,
    )
    return {table: scored[table] for table in TABLES}


def linteval_scores(model: LintModel) -> None:
    """Score a model's answers."""
    run(make, model, _journal(model))
