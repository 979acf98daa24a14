"""Stage `population`: the genomes of the first generation, which inherits nothing."""

from coral_batch.lake import params
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.search.genome import random_population

TABLES = ("population", "inherited")


def make(_: Tables, settings: Params, __: str) -> Outputs:
    return {"population": random_population(settings.evolution, settings.seed), "inherited": []}


def population() -> None:
    """Draw the first generation."""
    run(make, next(iter(params.load().generations)))
