"""Stage `findings`: what flake8 and bandit say about the repairs."""

from coral_batch import lake, params
from coral_batch.arguments import Part
from coral_batch.rows import SampleRow


def findings(part: Part) -> None:
    """Lint the repairs with flake8 and bandit."""
    # Imported here: bandit is not needed by --help.
    from coral_batch.linting.tables import lint_samples

    workers = params.load().compute.workers
    samples = lake.read_rows("samples", SampleRow, part)
    found = lint_samples(samples, workers)
    lake.write_frame("findings", lake.frame("findings", found), part)
