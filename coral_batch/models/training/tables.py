"""The adapters of a generation: from features to configurations to trained adapters and rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from coral_batch.lake.store import Store
from coral_batch.models.base.download import file_sha256
from coral_batch.models.training.obtain import Adapter, obtain_adapters
from coral_batch.records.example import Example
from coral_batch.records.rows import AdapterCardRow, AdapterRow, DurationRow
from coral_batch.records.settings import Params
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.search import Plan, plan


def adapt(
    features: pl.DataFrame,
    transport: Transport,
    base: Path,
    examples: Sequence[Example],
    settings: Params,
    store: Store,
) -> tuple[list[AdapterRow], list[AdapterCardRow], list[DurationRow], dict[str, Path]]:
    """Give every genome its configuration and get its adapter, trained or from the store.

    Args:
        features: table `features` of the generation.
        transport: the calibration.
        base: folder of the base model.
        examples: what to train on.
        settings: search, candidates, training and seed of the run.
        store: where adapters are kept.

    Returns:
        A row a genome; what determined each adapter and how long it took, a row an adapter; and
        each adapter's PEFT folder by its key.

    Raises:
        CoralError: see `coral_batch.models.training.obtain.obtain_adapters`.
    """
    plans = plan(features, transport, settings)
    adapters = obtain_adapters(
        base,
        examples,
        [(one.configuration, one.seed) for one in plans],
        settings.training,
        store,
        settings.compute.threads,
    )
    rows = [_row(one, adapters[one.configuration, one.seed]) for one in plans]
    distinct = list(adapters.values())
    durations = [DurationRow(adapter.key, adapter.seconds, adapter.reused) for adapter in distinct]
    cards = [
        AdapterCardRow(adapter.key, adapter.determinants, _hashes(adapter.folder))
        for adapter in distinct
    ]
    return rows, cards, durations, {adapter.key: adapter.folder for adapter in distinct}


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


def _hashes(folder: Path) -> dict[str, str]:
    return {file.name: file_sha256(file) for file in sorted(folder.iterdir())}
