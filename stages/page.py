"""Stage `page`: one generation, or the base model, as an HTML page."""

from coral_batch import lake
from coral_batch.lake.atomic import atomic
from stages.arguments import Part


def page(part: Part) -> None:
    """Write the page of a generation or of the base model."""
    # Imported here: --help needs no templates.
    from coral_batch.report.page.generation import part_page
    from coral_batch.report.reading import read_individuals, read_repairs

    individuals = [] if part == lake.BASELINE else read_individuals(part)
    text = part_page(part, individuals, read_repairs(part))
    with atomic(lake.path("page", part)) as stream:
        stream.write(text.encode())
