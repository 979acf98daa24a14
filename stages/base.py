"""Stage `base`: the base checkpoint as a Hugging Face folder."""

from coral_batch import lake, params


def base() -> None:
    """Fetch the base checkpoint, accept it by SHA-256, and materialise it."""
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.adapters.base import materialise

    settings = params.load().base
    materialise(settings.model, settings.revision, lake.path("base"), lake.DOWNLOADS)
