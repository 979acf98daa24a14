"""Stage `features`: four numbers in [0, 1] that describe every automaton's history."""

from coral_batch import lake
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.automata.features import features as measure
from coral_batch.search.automata.simulation import unpack
from stages.arguments import Generation


def features(generation: Generation) -> None:
    """Measure the automata of a generation."""
    genomes, histories = unpack(lake.read_arrays("automata", generation))
    rows = [
        {"genome": genome, **dict(zip(FEATURES, row, strict=True))}
        for genome, row in zip(genomes, measure(histories).tolist(), strict=True)
    ]
    lake.write_frame("features", lake.frame("features", rows), generation)
