"""Stage `selection`: who lives, the next generation's population, and what is known by then."""

from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.genome import Genome
from coral_batch.records.rows import AdapterRow, EvaluatedRow
from coral_batch.records.settings import Params
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.tables import next_generation
from stages.arguments import Generation

TABLES = ("selection",)


def make(tables: Tables, settings: Params, generation: str) -> Outputs:
    genomes = tables.read_rows("population", Genome, generation)
    scores = tables.read_frame("scores", generation)
    adapters = tables.read_rows("adapters", AdapterRow, generation)
    before = tables.read_rows("evaluated", EvaluatedRow, generation)
    transport = Transport.from_plain(tables.read_document("calibration", dict))
    rows, bred, evaluated = next_generation(
        genomes, adapters, scores, before, transport, int(generation), settings
    )
    following = settings.generations[generation].next
    return {
        "selection": rows,
        ("population", following): bred,
        ("evaluated", following): evaluated,
    }


def selection(generation: Generation) -> None:
    """Select the survivors and breed the next generation."""
    run(make, generation)
