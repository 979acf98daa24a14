"""Stage `automata`: the space-time history of every genome's cellular automaton."""

import numpy as np

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.records.genome import Genome
from coral_batch.search.automata.simulation import simulate
from stages.arguments import Generation


def automata(generation: Generation) -> None:
    """Simulate the automata of a generation."""
    genomes = lake.read_rows("population", Genome, generation)
    histories = simulate(genomes, params.load().automata)
    lake.write_arrays(
        "automata",
        {
            "genomes": np.array([genome.id for genome in genomes]),
            "packed": histories.packed,
            "width": np.array(histories.width),
        },
        generation,
    )
