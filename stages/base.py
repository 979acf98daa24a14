"""Stage `base`: the base checkpoint as a Hugging Face folder."""

from coral_batch import lake
from coral_batch.lake import params

TABLES = ("card",)


def base() -> None:
    """Fetch the base checkpoint, accepted by SHA-256."""
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.models.base.checkpoint import materialise

    settings = params.load().base
    materialise(settings.model, settings.revision, lake.path("base"), lake.DOWNLOADS)
