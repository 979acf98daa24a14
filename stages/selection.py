"""Stage `selection`: who lives, and the next generation's population."""

from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.genome import Genome
from coral_batch.records.settings import Params
from coral_batch.search.tables import next_generation
from stages.arguments import Generation

TABLES = ("selection",)


def make(tables: Tables, settings: Params, generation: str) -> Outputs:
    genomes = tables.rows("population", Genome, generation)
    scores = tables.frame("scores", generation)
    rows, bred = next_generation(genomes, scores, int(generation), settings)
    return {"selection": rows, ("population", settings.generations[generation].next): bred}


def selection(generation: Generation) -> None:
    """Select the survivors and breed the next generation."""
    run(make, generation)
