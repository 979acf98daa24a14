"""Stage `best`: the best genome of the run and its adapter, for what is measured on it alone."""

from coral_batch import lake, params
from coral_batch.evolution.best import REFUSED
from coral_batch.evolution.best import best as best_of
from coral_batch.hashes import checked_adapter
from coral_batch.rows import AdapterCardRow, AdapterRow, BestRow, SelectionRow, find


def best() -> None:
    """Pick the best genome of all generations."""
    selections = {
        name: lake.read_rows("selection", SelectionRow, name) for name in params.load().generations
    }
    generation, chosen = best_of(selections)
    rows = lake.read_rows("adapters", AdapterRow, generation)
    adapter = find(rows, lake.path("adapters", generation), genome=chosen.genome)
    cards = lake.read_rows("adapter_cards", AdapterCardRow, generation)
    card = find(cards, lake.path("adapter_cards", generation), key=adapter.key)
    folder = checked_adapter(generation, card)
    lake.write_folders("best_adapter", {adapter.key: folder})
    lake.write_document(
        "best",
        BestRow(
            generation,
            chosen.genome,
            adapter.key,
            card.files,
            adapter.configuration,
            adapter.knobs,
            chosen.fitness,
            chosen.passed,
        ),
    )
    print(f"{chosen.genome} of generation {generation}, fitness {chosen.fitness:.3f}")
    if not chosen.passed:
        print(REFUSED)
