"""Stage `linteval_samples`: a model's answers to CodeLinterEval's items."""

from coral_batch import lake
from coral_batch.errors import check_known
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.linteval.items.item import spread
from coral_batch.records.items import Item
from coral_batch.records.rows import SubjectRow
from stages.arguments import LintModel

TABLES = ("linteval_samples", "linteval_durations")


def make(tables: Tables, settings: Params, model: str) -> Outputs:
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.linteval.answers.tables import answer

    part, genome = lake.lint_subject(model)
    subjects = tables.read_rows("subjects", SubjectRow, part)
    known = {row.genome: row for row in subjects}
    genome = genome or next(iter(known))
    check_known(f"no such genome in {part}", genome, known, file=lake.path("subjects", part))
    rows, durations = answer(
        known[genome],
        spread(tables.read_rows("linteval_items", Item), settings.linteval.items),
        tables.path("base"),
        settings,
    )
    return {"linteval_durations": durations, "linteval_samples": rows}


def linteval_samples(model: LintModel) -> None:
    """Generate a model's answers."""
    run(make, model)
    if model not in lake.LINT_MODELS:  # no `dvc repro` will score these answers
        for table in ("verdicts", "findings", "changes", "scores"):
            lake.path(f"linteval_{table}", model).unlink(missing_ok=True)
