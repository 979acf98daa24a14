"""Stage `adapters`: every genome's configuration and its trained adapter."""

from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.genome import Genome
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.plan import plan
from stages.arguments import Generation

TABLES = ("adapter_cards", "adapter_folders", "adapter_durations", "adapters", "subjects")


def make(tables: Tables, settings: Params, generation: str) -> Outputs:
    # Imported here: torch and peft take seconds, which --help must not.
    from coral_batch.models.training.tables import adapted

    transport = Transport.from_plain(tables.read_document("calibration", dict))
    plans = plan(tables.read_frame("features", generation), transport, settings)
    genomes = tables.read_rows("population", Genome, generation)
    return adapted(tables, settings, plans, genomes, generation)


def adapters(generation: Generation) -> None:
    """Train the adapters of a generation."""
    for row in run(make, generation)["adapters"]:
        if row.diverged:
            print(f"{row.genome}: its training diverged and stopped; lower training.learning_rate")
