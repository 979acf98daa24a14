"""Stage `corpus`: the problems, from the bundled corpus, a checkout or a git URL."""

from pathlib import Path

from coral_batch import lake
from coral_batch.corpus.checkout import fetch
from coral_batch.corpus.layout import read_layout
from coral_batch.lake import params


def corpus() -> None:
    """Read the corpus into the lake."""
    settings = params.load().corpus
    if settings.url is not None and settings.revision is not None:
        folder = fetch(settings.url, settings.revision, lake.CHECKOUTS)
        origin = f"{settings.url}@{settings.revision}"
    else:
        folder = Path(settings.path)
        origin = settings.path
    problems = read_layout(folder, origin)
    lake.write_rows("problems", problems)
    print(f"{len(problems)} problems from {origin}")
