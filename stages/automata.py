"""Stage `automata`: the space-time history of every genome's cellular automaton."""

import numpy as np

from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.genome import Genome
from coral_batch.search.automata.simulation import simulate
from stages.arguments import Generation

TABLES = ("automata",)


def make(tables: Tables, settings: Params, generation: str) -> Outputs:
    genomes = tables.read_rows("population", Genome, generation)
    histories = simulate(genomes, settings.automata)
    return {
        "automata": {
            "genomes": np.array([genome.id for genome in genomes]),
            "packed": histories.packed,
            "width": np.array(histories.width),
        }
    }


def automata(generation: Generation) -> None:
    """Simulate the automata of a generation."""
    run(make, generation)
