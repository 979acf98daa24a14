"""The tables of a generation's adapters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from coral_batch import lake
from coral_batch.corpus.split.roles import check_roles
from coral_batch.errors import apart
from coral_batch.lake import find
from coral_batch.lake.hashes import check_files
from coral_batch.lake.stage import Outputs, Tables
from coral_batch.lake.store import Store
from coral_batch.models.base.checkpoint import read_card
from coral_batch.models.prompts.examples import examples_sha256, portion
from coral_batch.models.training import obtain
from coral_batch.models.training.inheritance import Parent
from coral_batch.models.training.obtain import Adapter, Wanted
from coral_batch.models.training.training import TrainingCurve
from coral_batch.records.configuration import AdapterConfiguration
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
from coral_batch.records.settings import Params, Training
from coral_batch.search.ids import birth, place
from coral_batch.search.plan import Plan

_AGAIN = "run `dvc repro`, which trains it again"


def adapted(
    tables: Tables,
    settings: Params,
    plans: Sequence[Plan],
    genomes: Sequence[Genome],
    generation: str,
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

    Raises:
        CoralError: an example's program is not for training, an inherited adapter is missing,
            damaged or was trained in another way than the lake and parameters say, or as in
            `obtain`.
    """
    base, file = tables.path("base"), lake.path("inherited", generation)
    inherited = tables.read_rows("inherited", InheritedRow, generation)
    all_ = tables.read_rows("examples", Example)
    known = read_card(base).sha256
    configurations = {one.genome: one.configuration for one in plans}
    if configurations.keys() != {genome.id for genome in genomes}:
        raise apart("features of another population", lake.path("features", generation))
    for row in inherited:
        check_files(lake.above(row.folder), row.files, str(file), _AGAIN)
        _check_current(row, configurations[row.genome], known, all_, settings, file)
    adapters = {
        row.genome: Adapter(
            row.key,
            row.determinants,
            lake.above(row.folder),
            row.files,
            TrainingCurve(row.losses, (row.tokens,), row.diverged),
            reused=True,
            seconds=0.0,
        )
        for row in inherited
    }
    taught = {example.problem for example in all_}
    check_roles(taught, tables.read_rows("manifest", Role), "training")
    parents = {genome.id: genome.parents for genome in genomes}
    wanted = {}
    for one in plans:
        if one.genome in adapters:
            continue
        names = parents[one.genome] if settings.evolution.inherit else ()
        begun = [find(inherited, file, genome=name) for name in names]
        wanted[one.genome] = Wanted(
            one.configuration,
            settings.seed,
            _portion(all_, one.genome, settings),
            tuple(Parent(row.key, lake.above(row.folder).absolute()) for row in begun),
        )
    begins = not any(one.parents for one in wanted.values())
    training = _training(settings.training, 0 if begins else int(generation))
    store, threads = Store(lake.STORE), settings.compute.threads
    obtained = obtain.obtain_adapters(base, list(wanted.values()), training, store, threads)
    adapters |= {genome: obtained[one] for genome, one in wanted.items()}
    return _tabulated(plans, adapters, lake.path("adapter_folders", generation))


def _portion(examples: Sequence[Example], genome: str, settings: Params) -> tuple[Example, ...]:
    evolution = settings.evolution
    number = place(genome, evolution.population, evolution.survivors)
    return portion(examples, settings.examples, number)


def _training(training: Training, generation: int) -> Training:
    """Return the settings for a newborn of a generation that inherits; 0 for one that does not."""
    return replace(training, learning_rate=training.learning_rate / (generation + 1) ** 2)


def _check_current(
    row: InheritedRow,
    configuration: AdapterConfiguration,
    base: str,
    examples: Sequence[Example],
    settings: Params,
    file: Path,
) -> None:
    """Check that an inherited adapter is what this run would train.

    Args:
        row: the adapter.
        configuration: the genome's.
        base: SHA-256 of the base model.
        examples: all.
        settings: the run's.
        file: the table of the row.

    Raises:
        CoralError: it is not.
    """
    generation = birth(row.genome)[0] if row.determinants["parents"] else 0
    current = {
        "base": base,
        "seed": settings.seed,
        "configuration": lake.plain(configuration),
        "training": asdict(_training(settings.training, int(generation))),
        "examples": examples_sha256(_portion(examples, row.genome, settings)),
    }
    for name, value in current.items():
        if row.determinants[name] != value:
            raise apart(f"{row.genome} with an adapter of another {name}", file)


def _tabulated(plans: Sequence[Plan], adapters: Mapping[str, Adapter], folder: Path) -> Outputs:
    """Return `adapters` and `subjects`, a row per genome, and of each adapter what the others have.

    Args:
        plans: each genome's plan.
        adapters: each genome's adapter.
        folder: the destination of the adapters' folders.
    """
    own = [(one, adapters[one.genome]) for one in plans]
    distinct = {one.key: one for _, one in own}
    return {
        "adapter_folders": {key: one.folder for key, one in distinct.items()},
        "adapter_cards": [
            AdapterCardRow(key, one.determinants, one.files) for key, one in distinct.items()
        ],
        "adapter_durations": [
            DurationRow(key, one.seconds, one.reused) for key, one in distinct.items()
        ],
        "adapters": [
            AdapterRow(
                genome=plan.genome,
                key=one.key,
                coordinates=plan.coordinates,
                configuration=plan.configuration,
                knobs=plan.knobs,
                losses=one.curve.loss,
                tokens=sum(one.curve.tokens),
                diverged=one.curve.diverged,
            )
            for plan, one in own
        ],
        "subjects": [
            SubjectRow(
                plan.genome, one.key, lake.below(folder / one.key), dict(one.files), plan.knobs
            )
            for plan, one in own
        ],
    }
