"""Stage `population`: the genomes of the first generation."""

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.search.genome import random_population


def population() -> None:
    """Draw the first generation."""
    settings = params.load()
    first = next(iter(settings.generations))
    lake.write_rows("population", random_population(settings.evolution, settings.seed), first)
