"""Stage `evaluation`: repairs of the held-out problems, by the base model or the best genome."""

from dataclasses import replace

from coral_batch import lake
from coral_batch.corpus.split import select_evaluation
from coral_batch.lake import params
from coral_batch.lake.hashes import check_files
from coral_batch.records.problem import Problem, Role
from coral_batch.records.rows import BASE, BestRow
from stages.arguments import Model


def evaluation(model: Model) -> None:
    """Generate repairs of problems that nobody selected on."""
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.lake.store import Store
    from coral_batch.models.decoding.drawing import Subject
    from coral_batch.models.repairs.tables import sample

    settings = params.load()
    problems = select_evaluation(
        lake.read_rows("problems", Problem),
        lake.read_rows("manifest", Role),
        settings.evaluation.problems,
    )
    if model == "baseline":
        subject = Subject(BASE, None, None, settings.sampling.baseline)
    else:
        best = lake.read_document("best", BestRow)
        folder = lake.path("best_adapter") / best.key
        check_files(folder, best.files, "the document best", "run `dvc repro --force best`")
        subject = Subject(best.genome, best.key, folder, best.knobs)
    sampling = replace(settings.sampling, samples=settings.evaluation.samples)
    rows, durations = sample(
        [subject],
        problems,
        lake.path("base"),
        replace(settings, sampling=sampling),
        Store(lake.STORE),
    )
    lake.write_rows("sample_durations", durations, lake.EVALUATIONS[model])
    lake.write_rows("samples", rows, lake.EVALUATIONS[model])
