"""Stage `linteval_samples`: a model's answers to CodeLinterEval's items."""

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.adapters import checked_adapter
from coral_batch.lake.hashes import check_files
from coral_batch.linteval.items.item import spread
from coral_batch.records.items import Item
from coral_batch.records.rows import BASE, AdapterCardRow, AdapterRow, BestRow, find
from stages.arguments import LintModel


def linteval_samples(model: LintModel) -> None:
    """Generate a model's answers."""
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.lake.store import Store
    from coral_batch.linteval.answers.tables import answer
    from coral_batch.models.decoding.drawing import Subject

    settings = params.load()
    knobs = settings.linteval.knobs
    items = spread(lake.read_rows("linteval_items", Item), settings.linteval.items)
    if model == "base":
        subject = Subject(BASE, None, None, knobs)
    elif model == "best":
        best = lake.read_document("best", BestRow)
        folder = lake.path("best_adapter") / best.key
        check_files(folder, best.files, "the document best", "run `dvc repro --force best`")
        subject = Subject(best.genome, best.key, folder, knobs)
    else:
        generation, _, genome = model.partition("/")
        keys = {row.genome: row.key for row in lake.read_rows("adapters", AdapterRow, generation)}
        if genome not in keys:
            raise CoralError(
                f"generation {generation} has no such genome",
                file=lake.path("adapters", generation),
                found=genome,
                expected=f"one of {', '.join(keys)}",
            )
        cards = lake.read_rows("adapter_cards", AdapterCardRow, generation)
        card = find(cards, lake.path("adapter_cards", generation), key=keys[genome])
        folder = checked_adapter(generation, card)
        subject = Subject(genome, keys[genome], folder, knobs)
    rows, durations = answer(subject, items, lake.path("base"), settings, Store(lake.STORE))
    lake.write_rows("linteval_durations", durations, model)
    lake.write_rows("linteval_samples", rows, model)
