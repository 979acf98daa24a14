"""The tables of a generation's adapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from coral_batch import lake
from coral_batch.corpus.split.roles import check_training
from coral_batch.errors import apart
from coral_batch.lake import find
from coral_batch.lake.hashes import check_files
from coral_batch.lake.stage import Folder, Outputs, Tables
from coral_batch.lake.store import Store
from coral_batch.models.base.checkpoint import read_card
from coral_batch.models.prompts.examples import portion
from coral_batch.models.training.inheritance import Parent
from coral_batch.models.training.obtain import Adapter, Wanted
from coral_batch.models.training.training import TrainingCurve
from coral_batch.records.example import Example
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Role
from coral_batch.records.rows import (
    AdapterCardRow,
    AdapterRow,
    DurationRow,
    InheritedRow,
    SubjectRow,
)
from coral_batch.records.settings import Params
from coral_batch.search.ids import place
from coral_batch.search.plan import Plan

_AGAIN = "run `dvc repro --force` on the stage that trained it"


def adapted(
    tables: Tables,
    settings: Params,
    plans: Sequence[Plan],
    genomes: Sequence[Genome],
    generation: str,
    obtain: Callable[..., Mapping[Wanted, Adapter]],
) -> Outputs:
    """Obtain the plans' adapters, and return their tables and folders.

    A survivor keeps its adapter. A newborn's is trained on its own portion of the examples. With
    `evolution.inherit` its parents' adapters initialise it, and the peak learning rate of
    generation g, counted from 0, is 1 / (g + 1)^2 of the set one: the more a line has learned, the
    less a portion may change.

    Args:
        tables: the lake.
        settings: seed, examples, evolution, training and compute.
        plans: each genome's plan.
        genomes: the population.
        generation: the part of the lake that gets the tables.
        obtain: `coral_batch.models.training.obtain.obtain_adapters`.

    Raises:
        CoralError: an example's program is not for training, an inherited adapter is missing,
            damaged or of another base model, or as in `obtain`.
    """
    base = tables.path("base")
    inherited = {row.genome: row for row in tables.read_rows("inherited", InheritedRow, generation)}
    file, known = lake.path("inherited", generation), read_card(base).sha256
    for row in inherited.values():
        _check(row, known, file)
    all_ = tables.read_rows("examples", Example)
    check_training({example.problem for example in all_}, tables.read_rows("manifest", Role))
    inherit = settings.evolution.inherit
    parents = {genome.id: genome.parents for genome in genomes}
    wanted = {
        one.genome: Wanted(
            one.configuration,
            settings.seed,
            portion(all_, settings.examples, place(one.genome, settings.evolution.population)),
            _begins([find(inherited.values(), file, genome=name) for name in parents[one.genome]])
            if inherit
            else (),
        )
        for one in plans
        if one.genome not in inherited
    }
    training = settings.training
    if any(one.parents for one in wanted.values()):
        rate = training.learning_rate / (int(generation) + 1) ** 2
        training = replace(training, learning_rate=rate)
    obtained = obtain(
        base,
        list(wanted.values()),
        training,
        Store(lake.STORE),
        settings.compute.threads,
    )
    adapters = {genome: _kept(row) for genome, row in inherited.items()}
    adapters |= {genome: obtained[one] for genome, one in wanted.items()}
    return tabulate(plans, adapters, lake.path("adapter_folders", generation))


def _check(row: InheritedRow, base: str, file: Path) -> None:
    check_files(lake.above(row.folder), row.files, str(file), _AGAIN)
    if row.determinants.get("base") != base:
        raise apart(f"{row.genome} with an adapter of another base model", file)


def _begins(parents: Sequence[InheritedRow]) -> tuple[Parent, ...]:
    return tuple(
        Parent(one.key, lake.above(one.folder).absolute(), 1 / len(parents)) for one in parents
    )


def _kept(row: InheritedRow) -> Adapter:
    curve = TrainingCurve(row.losses, (row.tokens,), row.diverged)
    return Adapter(
        row.key,
        row.determinants,
        lake.above(row.folder),
        row.files,
        curve,
        reused=True,
        seconds=0.0,
    )


def tabulate(plans: Sequence[Plan], adapters: Mapping[str, Adapter], folder: Path) -> Outputs:
    """Return the tables and folders that the stage `adapters` makes.

    Args:
        plans: each genome's plan.
        adapters: each genome's adapter.
        folder: the destination of the adapters' folders.

    Returns:
        `adapters` and `subjects`, one row per genome; `adapter_cards` and `adapter_durations`, one
        row per adapter; `adapter_folders`.
    """
    own = [(one, adapters[one.genome]) for one in plans]
    distinct = list({one.key: one for _, one in own}.values())
    return {
        "adapter_folders": {
            one.key: Folder(one.folder, one.files, "the adapter as it was trained")
            for one in distinct
        },
        "adapter_cards": [AdapterCardRow(one.key, one.determinants, one.files) for one in distinct],
        "adapter_durations": [DurationRow(one.key, one.seconds, one.reused) for one in distinct],
        "adapters": [_row(plan, one) for plan, one in own],
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
