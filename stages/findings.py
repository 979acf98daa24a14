"""Stage `findings`: what flake8 and bandit say about the repairs."""

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.records.rows import SampleRow
from stages.arguments import Part


def findings(part: Part) -> None:
    """Lint the repairs with flake8 and bandit."""
    # Imported here: bandit is not needed by --help.
    from coral_batch.linting.tables import lint_samples

    workers = params.load().compute.workers
    samples = lake.read_rows("samples", SampleRow, part)
    found = lint_samples(samples, workers)
    lake.write_frame("findings", lake.frame("findings", found), part)
