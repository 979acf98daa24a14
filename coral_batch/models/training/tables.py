"""The tables of a generation's adapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from coral_batch import lake
from coral_batch.corpus.split.roles import check_training
from coral_batch.lake.stage import Folder, Outputs, Tables
from coral_batch.lake.store import Store
from coral_batch.models.training.obtain import Adapter, Wanted
from coral_batch.records.example import Example
from coral_batch.records.problem import Role
from coral_batch.records.rows import AdapterCardRow, AdapterRow, DurationRow, SubjectRow
from coral_batch.records.settings import Params
from coral_batch.search.plan import Plan


def adapted(
    tables: Tables,
    settings: Params,
    plans: Sequence[Plan],
    place: tuple[str, str],
    obtain: Callable[..., Mapping[Wanted, Adapter]],
    alone: bool = False,
) -> Outputs:
    """Obtain what plans ask for, and return the tables and folders of it.

    Args:
        tables: the lake.
        settings: seed, training and compute.
        plans: what each genome asks for.
        place: the table of the examples to train on, and the part of the lake that gets the tables.
        obtain: `coral_batch.models.training.obtain.obtain_adapters`.
        alone: the plans ask for one adapter that no generation has trained, which all threads
            train.

    Raises:
        CoralError: an example shows a program that is not to be trained on, or as in `obtain`.
    """
    table, part = place
    examples = tables.read_rows(table, Example)
    check_training({example.problem for example in examples}, tables.read_rows("manifest", Role))
    obtained = obtain(
        tables.path("base"),
        examples,
        [(one.configuration, one.seed) for one in plans],
        settings.training,
        Store(lake.STORE),
        settings.compute.threads,
        alone,
    )
    return tabulate(plans, obtained, lake.path("adapter_folders", part))


def tabulate(plans: Sequence[Plan], adapters: Mapping[Wanted, Adapter], folder: Path) -> Outputs:
    """Return the tables and folders that the stage `adapters` makes.

    Args:
        plans: what each genome asks for.
        adapters: what was obtained, by configuration and seed.
        folder: where the adapters' folders are going to lie.

    Returns:
        `adapters` and `subjects`, a row a genome; `adapter_cards` and `adapter_durations`, a row an
        adapter; `adapter_folders`.
    """
    own = [(one, adapters[one.configuration, one.seed]) for one in plans]
    distinct = list({adapter.key: adapter for adapter in adapters.values()}.values())
    return {
        "adapter_folders": {
            one.key: Folder(one.folder, one.files, "the adapter in the store") for one in distinct
        },
        "adapter_cards": [AdapterCardRow(one.key, one.determinants, one.files) for one in distinct],
        "adapter_durations": [DurationRow(one.key, one.seconds, one.reused) for one in distinct],
        "adapters": [_row(plan, adapter) for plan, adapter in own],
        "subjects": [
            SubjectRow(
                plan.genome, one.key, lake.below(folder / one.key), dict(one.files), plan.knobs
            )
            for plan, one in own
        ],
    }


def _row(plan: Plan, adapter: Adapter) -> AdapterRow:
    return AdapterRow(
        genome=plan.genome,
        key=adapter.key,
        coordinates=plan.coordinates,
        configuration=plan.configuration,
        knobs=plan.knobs,
        losses=adapter.curve.loss,
        tokens=sum(adapter.curve.tokens),
        diverged=adapter.curve.diverged,
    )
