"""Stage `best`: the best genome of the run and its adapter, for what is measured on it alone."""

from coral_batch import lake, params
from coral_batch.errors import CoralError
from coral_batch.evolution.best import best as best_of
from coral_batch.hashes import check_files
from coral_batch.rows import AdapterCardRow, AdapterRow, BestRow, SelectionRow


def best() -> None:
    """Pick the best genome of all generations."""
    selections = {
        name: lake.read_rows("selection", SelectionRow, name) for name in params.load().generations
    }
    generation, chosen = best_of(selections)
    rows = {row.genome: row for row in lake.read_rows("adapters", AdapterRow, generation)}
    cards = {row.key: row for row in lake.read_rows("adapter_cards", AdapterCardRow, generation)}
    adapter = rows.get(chosen.genome)
    if adapter is None or adapter.key not in cards:
        raise CoralError(
            "the tables do not belong together",
            file=lake.path("adapters", generation),
            field=chosen.genome,
            found="no adapter of the best genome, or no card of it",
            action=f"run `dvc repro --force adapters@{generation}`",
        )
    folder = lake.path("adapter_folders", generation) / adapter.key
    files = cards[adapter.key].files
    action = f"run `dvc repro --force adapters@{generation}`"
    check_files(folder, files, "the table adapter_cards", action)
    lake.write_folders("best_adapter", {adapter.key: folder})
    lake.write_document(
        "best",
        BestRow(
            generation,
            chosen.genome,
            adapter.key,
            files,
            adapter.configuration,
            adapter.knobs,
            chosen.fitness,
        ),
    )
    print(f"{chosen.genome} of generation {generation}, fitness {chosen.fitness:.3f}")
