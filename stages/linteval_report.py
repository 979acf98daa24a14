"""Stage `linteval_report`: the best genome against the base model on CodeLinterEval."""

from coral_batch import lake
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.linteval.report.text import notes, plots, score_tables
from coral_batch.linteval.scores.metrics import compare
from coral_batch.records.items import ItemTests

TABLES = ("linteval_metrics", "linteval_plots")


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    changes = {model: tables.read_frame("linteval_changes", model) for model in lake.LINT_MODELS}
    base, best = (
        (tables.read_frame("linteval_scores", model), changes[model]) for model in lake.LINT_MODELS
    )
    metrics = compare(base, best, tables.read_rows("linteval_tests", ItemTests), settings.seed)
    return {"linteval_plots": plots(changes), "linteval_metrics": metrics}


def linteval_report() -> None:
    """Compare the best genome with the base model."""
    metrics = run(make)["linteval_metrics"]
    differences = {"best": (metrics.official, metrics.strict)}
    print(score_tables({"base": metrics.base, "best": metrics.best}, differences))
    print(notes(metrics.base))
