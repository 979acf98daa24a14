"""Stage `calibration`: how features are distributed over the rule space."""

from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.search.mapping.mapping import calibrate

TABLES = ("calibration",)


def make(_: Tables, settings: Params, __: None) -> Outputs:
    transport = calibrate(settings.automata, settings.calibration, settings.seed)
    return {"calibration": transport.to_plain()}


def calibration() -> None:
    """Calibrate the mapping on random genomes."""
    run(make)
