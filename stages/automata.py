"""Stage `automata`: the space-time history of every genome's cellular automaton."""

import numpy as np

from coral_batch import lake, params
from coral_batch.arguments import Generation
from coral_batch.automata.simulation import simulate
from coral_batch.evolution.genome import Genome


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
