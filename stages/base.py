"""Stage `base`: the base checkpoint as a Hugging Face folder."""

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.lake.stage import BEFORE_WRITING

TABLES = ("card",)


def base() -> None:
    """Fetch the base checkpoint, accepted by SHA-256."""
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.models.base.checkpoint import load_tokenizer, materialise

    settings = params.load().base
    folder = lake.path("base")
    card = materialise(settings.model, settings.revision, folder, lake.DOWNLOADS)
    if params.load().base != settings:
        raise params.changed()
    for check in BEFORE_WRITING:
        check()
    if settings.revision is None and card.revision is not None:
        print(f"commit {card.revision}; set base.revision to it to fetch no newer one")
    if load_tokenizer(folder).chat_template is None:
        print(f"{card.name} has no chat template: it is prompted as a completion model")
