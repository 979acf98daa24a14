"""Stage `features`: four numbers in [0, 1] that describe every automaton's history."""

from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.automata.features import features as measure
from coral_batch.search.automata.simulation import unpack
from stages.arguments import Generation

TABLES = ("features",)


def make(tables: Tables, _: Params, generation: str) -> Outputs:
    genomes, histories = unpack(tables.read_arrays("automata", generation))
    return {
        "features": [
            {"genome": genome, **dict(zip(FEATURES, row, strict=True))}
            for genome, row in zip(genomes, measure(histories).tolist(), strict=True)
        ]
    }


def features(generation: Generation) -> None:
    """Measure the automata of a generation."""
    run(make, generation)
