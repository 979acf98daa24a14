"""Stage `findings`: what flake8 and bandit say about the repairs."""

from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.rows import SampleRow
from stages.arguments import Part

TABLES = ("findings",)


def make(tables: Tables, settings: Params, part: str) -> Outputs:
    # Imported here: bandit is not needed by --help.
    from coral_batch.linting.pool import lint_samples

    samples = tables.read_rows("samples", SampleRow, part)
    return {"findings": lint_samples(samples, settings.compute.workers)}


def findings(part: Part) -> None:
    """Lint the repairs with flake8 and bandit."""
    run(make, part)
