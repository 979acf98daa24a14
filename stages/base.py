"""Stage `base`: the base checkpoint as a Hugging Face folder."""

from coral_batch import lake, params


def base() -> None:
    """Fetch the base checkpoint, accepted by SHA-256."""
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.adapters.base import materialise

    settings = params.load().base
    materialise(settings.model, settings.revision, lake.path("base"), lake.DOWNLOADS)
