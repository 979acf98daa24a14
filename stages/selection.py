"""Stage `selection`: the survivors, the next population, and the adapters that it inherits."""

from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.genome import Genome
from coral_batch.records.rows import AdapterCardRow, AdapterRow, FirstChangeRow, SubjectRow
from coral_batch.search.tables import inherited, next_generation
from stages.arguments import Generation

TABLES = ("selection",)


def make(tables: Tables, settings: Params, generation: str) -> Outputs:
    genomes = tables.read_rows("population", Genome, generation)
    scores = tables.read_frame("scores", generation)
    looks = tables.read_rows("first_changes", FirstChangeRow, generation)
    adapters = tables.read_rows("adapters", AdapterRow, generation)
    rows, bred = next_generation(genomes, scores, looks, int(generation), settings)
    following = settings.generations[generation].next
    return {
        "selection": rows,
        ("population", following): bred,
        ("inherited", following): inherited(
            [row.genome for row in rows if row.survived],
            adapters,
            tables.read_rows("adapter_cards", AdapterCardRow, generation),
            tables.read_rows("subjects", SubjectRow, generation),
        ),
    }


def selection(generation: Generation) -> None:
    """Select the survivors and breed the next generation."""
    run(make, generation)
