"""Stage `refit`: the best genome's adapter, trained once more on more examples."""

from collections.abc import Callable
from functools import partial
from typing import Any

from coral_batch import lake
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.example import Example
from coral_batch.records.rows import BestRow
from coral_batch.records.settings import Params
from coral_batch.search.plan import Plan

TABLES = ("adapter_cards", "adapter_folders", "adapter_durations", "adapters", "subjects")


def make(tables: Tables, settings: Params, part: str, obtain: Callable[..., Any]) -> Outputs:
    # Imported here: torch and peft take seconds, which --help must not.
    from coral_batch.models.training.tables import adapted

    best = tables.read_document("best", BestRow)
    plan = Plan(best.genome, best.coordinates, best.configuration, best.knobs, best.seed)
    # On the same examples it is its generation's adapter, trained as that was.
    linted = any(row.lint for row in tables.read_rows("refit_examples", Example))
    alone = linted or settings.examples.refit != settings.examples.bugs
    return adapted(tables, settings, [plan], ("refit_examples", part), obtain, alone)


def refit() -> None:
    """Train the best genome's adapter once more."""
    from coral_batch.models.training.obtain import obtain_adapters

    run(partial(make, obtain=obtain_adapters), lake.EVALUATIONS["best"])
