"""Stage `best`: the best genome of the run and its adapter, for what is measured on it alone."""

from coral_batch import lake, params
from coral_batch.evolution.best import best as best_of
from coral_batch.rows import AdapterRow, BestRow, SelectionRow


def best() -> None:
    """Pick the best genome of all generations."""
    selections = {
        name: lake.read_rows("selection", SelectionRow, name) for name in params.load().generations
    }
    generation, chosen = best_of(selections)
    adapters = lake.read_rows("adapters", AdapterRow, generation)
    adapter = next(row for row in adapters if row.genome == chosen.genome)
    lake.write_folders(
        "best_adapter", {adapter.key: lake.path("adapter_folders", generation) / adapter.key}
    )
    lake.write_document(
        "best",
        BestRow(
            generation,
            chosen.genome,
            adapter.key,
            adapter.configuration,
            adapter.knobs,
            chosen.fitness,
        ),
    )
    print(f"{chosen.genome} of generation {generation}, fitness {chosen.fitness:.3f}")
