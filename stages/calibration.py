"""Stage `calibration`: how features are distributed over the rule space."""

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.search.mapping.mapping import calibrate


def calibration() -> None:
    """Calibrate the mapping on random genomes."""
    settings = params.load()
    transport = calibrate(settings.automata, settings.calibration, settings.seed)
    lake.write_document("calibration", transport.to_plain())
