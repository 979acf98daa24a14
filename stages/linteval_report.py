"""Stage `linteval_report`: CodeLinterEval of the best genome beside the base model."""

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.lake.atomic import atomic
from coral_batch.linteval.report.text import plots, results
from coral_batch.linteval.scores.metrics import compare


def linteval_report() -> None:
    """Compare the best genome with the base model."""
    changes = {model: lake.read_frame("linteval_changes", model) for model in lake.LINT_MODELS}
    base, best = (
        (lake.read_frame("linteval_scores", model), changes[model]) for model in lake.LINT_MODELS
    )
    metrics = compare(base, best, params.load().seed)
    for name, content in plots(changes).items():
        with atomic(lake.path("linteval_plots") / name) as stream:
            stream.write(content.encode())
    lake.write_document("linteval_metrics", metrics)
    print(results({"base": metrics.base, "best": metrics.best}, metrics))
