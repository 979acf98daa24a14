"""Stage `selection`: who lives, and the next generation's population."""

from coral_batch import lake, params
from coral_batch.arguments import Generation
from coral_batch.evolution.genome import Genome
from coral_batch.evolution.tables import next_generation


def selection(generation: Generation) -> None:
    """Select the survivors and breed the next generation."""
    settings = params.load()
    genomes = lake.read_rows("population", Genome, generation)
    scores = lake.read_frame("scores", generation)
    rows, bred = next_generation(genomes, scores, int(generation), settings)
    lake.write_rows("selection", rows, generation)
    lake.write_rows("population", bred, settings.generations[generation].next)
