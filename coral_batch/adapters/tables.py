"""The adapters of a generation: from features to configurations to trained adapters and rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from coral_batch.adapters.download import file_sha256
from coral_batch.adapters.examples import Example
from coral_batch.adapters.obtain import Adapter, obtain_adapters
from coral_batch.automata.features import FEATURES
from coral_batch.evolution.mapping import configure
from coral_batch.evolution.transport import Transport
from coral_batch.params import Params
from coral_batch.rows import AdapterCardRow, AdapterRow, DurationRow
from coral_batch.store import Store


def adapt(
    features: pl.DataFrame,
    transport: Transport,
    base: Path,
    examples: Sequence[Example],
    settings: Params,
    store: Store,
) -> tuple[list[AdapterRow], list[AdapterCardRow], list[DurationRow], dict[str, Path]]:
    """Map every genome to its configuration and get its adapter, trained or from the store.

    Args:
        features: table `features` of the generation.
        transport: the calibration.
        base: folder of the base model.
        examples: what to train on.
        settings: candidates, training and seed of the run.
        store: where adapters are kept.

    Returns:
        A row a genome; what determined each adapter and how long it took, a row an adapter; and
        each adapter's PEFT folder by its key.

    Raises:
        CoralError: see `coral_batch.adapters.obtain.obtain_adapters`.
    """
    measured = features.select(FEATURES).to_numpy()
    configured = configure(measured, transport, settings.candidates)
    adapters = obtain_adapters(
        base,
        examples,
        [configuration for configuration, _ in configured],
        settings.training,
        settings.seed,
        store,
        settings.compute.threads,
    )
    rows = [
        AdapterRow(
            genome=genome,
            key=adapters[configuration].key,
            coordinates=tuple(coordinates),
            configuration=configuration,
            knobs=knobs,
            losses=adapters[configuration].curve.loss,
            tokens=sum(adapters[configuration].curve.tokens),
            diverged=adapters[configuration].curve.diverged,
        )
        for genome, coordinates, (configuration, knobs) in zip(
            features["genome"], transport(measured).tolist(), configured, strict=True
        )
    ]
    distinct: list[Adapter] = list(adapters.values())
    durations = [DurationRow(adapter.key, adapter.seconds, adapter.reused) for adapter in distinct]
    cards = [
        AdapterCardRow(adapter.key, adapter.determinants, _hashes(adapter.folder))
        for adapter in distinct
    ]
    return rows, cards, durations, {adapter.key: adapter.folder for adapter in distinct}


def _hashes(folder: Path) -> dict[str, str]:
    return {file.name: file_sha256(file) for file in sorted(folder.iterdir())}
