"""Stage `evaluation`: repairs of the problems measured at the end, by base model or best genome."""

from dataclasses import replace

from coral_batch import lake, params
from coral_batch.arguments import Model
from coral_batch.corpus.problem import Problem
from coral_batch.corpus.split import Role, check_evaluation, select_evaluation
from coral_batch.hashes import check_files
from coral_batch.rows import BASE, BestRow


def evaluation(model: Model) -> None:
    """Generate repairs of the held-out problems, or of all."""
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.generation.drawing import Subject
    from coral_batch.generation.tables import sample
    from coral_batch.store import Store

    settings = params.load()
    problems = select_evaluation(
        lake.read_rows("problems", Problem),
        lake.read_rows("manifest", Role),
        settings.evaluation.problems,
    )
    trained = check_evaluation((one.name for one in problems), settings.evaluation.problems)
    if trained:
        print(f"evaluation.problems is all: {len(trained)} of the {len(problems)} were trained on")
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
