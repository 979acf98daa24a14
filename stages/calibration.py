"""Stage `calibration`: how features are distributed over the rule space."""

from coral_batch import lake, params
from coral_batch.evolution.mapping import calibrate


def calibration() -> None:
    """Calibrate the mapping on random genomes."""
    settings = params.load()
    transport = calibrate(settings.automata, settings.calibration, settings.seed)
    lake.write_document("calibration", transport.to_plain())
