"""Stage `selection`: who lives, and the next generation's population."""

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.records.genome import Genome
from coral_batch.search.tables import next_generation
from stages.arguments import Generation


def selection(generation: Generation) -> None:
    """Select the survivors and breed the next generation."""
    settings = params.load()
    genomes = lake.read_rows("population", Genome, generation)
    scores = lake.read_frame("scores", generation)
    rows, bred = next_generation(genomes, scores, int(generation), settings)
    lake.write_rows("selection", rows, generation)
    lake.write_rows("population", bred, settings.generations[generation].next)
