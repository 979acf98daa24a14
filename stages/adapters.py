"""Stage `adapters`: every genome's configuration and its trained adapter."""

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.search.mapping.transport import Transport
from stages.arguments import Generation


def adapters(generation: Generation) -> None:
    """Train the adapters of a generation."""
    # Imported here: torch, transformers and peft take seconds, which --help must not.
    from coral_batch.corpus.split import check_training
    from coral_batch.lake.store import Store
    from coral_batch.models.training.tables import adapt
    from coral_batch.records.example import Example

    settings = params.load()
    examples = lake.read_rows("examples", Example)
    check_training({example.problem for example in examples})
    rows, cards, durations, folders = adapt(
        lake.read_frame("features", generation),
        Transport.from_plain(lake.read_document("calibration", dict)),
        lake.path("base"),
        examples,
        settings,
        Store(lake.STORE),
    )
    lake.write_folders("adapter_folders", folders, generation)
    lake.write_rows("adapter_cards", cards, generation)
    lake.write_rows("adapter_durations", durations, generation)
    lake.write_rows("adapters", rows, generation)
