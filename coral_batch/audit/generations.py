"""The checks of what only a generation has: genomes, automata, adapters, selection."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from coral_batch import lake
from coral_batch.audit.evidence import UNKNOWN, Evidence, Row, differences
from coral_batch.audit.foundation import base_card
from coral_batch.lake import seals
from coral_batch.lake.hashes import found_sha256
from coral_batch.lake.schemas import validator
from coral_batch.lake.store import key_of
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.records.configuration import AdapterConfiguration
from coral_batch.records.example import Example
from coral_batch.records.genome import Genome
from coral_batch.search.automata.features import FEATURES, features
from coral_batch.search.automata.simulation import Histories, simulate
from coral_batch.search.genome import random_population
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.search import Plan, plan
from coral_batch.search.tables import next_generation


def check_population(evidence: Evidence, part: str | None) -> None:
    """Draw the first generation again, or breed this one from the one before."""
    before = [name for name, entry in evidence.settings.generations.items() if entry.next == part]
    if before:
        _, bred = _selected(evidence, before[0])
    else:
        bred = random_population(evidence.settings.evolution, evidence.settings.seed)
    evidence.settle("population", part, [lake.plain(genome) for genome in bred])


def check_automata(evidence: Evidence, part: str | None) -> None:
    """Simulate the automata again."""
    genomes = evidence.built("population", Genome, part)
    histories = simulate(genomes, evidence.settings.automata)
    evidence.keep("automata", part, histories)
    arrays = evidence.attempt("automata", part, lambda: lake.read_arrays("automata", part))
    expected = {
        "genomes": np.array([genome.id for genome in genomes]),
        "packed": histories.packed,
        "width": np.array(histories.width),
    }
    for name in expected.keys() | arrays.keys():
        found, should = arrays.get(name), expected.get(name)
        if found is None or should is None or found.shape != should.shape:
            evidence.doubt("automata", part, name, _shape(found), _shape(should))
            continue
        wrong = np.argwhere(np.atleast_1d(found != should))
        if len(wrong):
            index = tuple(wrong[0].tolist()) if found.ndim else ()
            place = ".".join(map(str, (name, *index)))
            row = genomes[index[0]].id if index else None
            evidence.doubt(
                "automata", part, place, found[index].item(), should[index].item(), row=row
            )


def _shape(array: Any) -> str:
    return "no such array" if array is None else f"an array of shape {array.shape}"


def check_features(evidence: Evidence, part: str | None) -> None:
    """Measure the automata again."""
    histories = evidence.kept("automata", part)
    if not isinstance(histories, Histories):
        genomes = evidence.built("population", Genome, part)
        histories = simulate(genomes, evidence.settings.automata)
    names = [row["id"] for row in evidence.rows("population", part)]
    measured = features(histories).tolist()
    evidence.settle(
        "features",
        part,
        [
            {"genome": name, **dict(zip(FEATURES, values, strict=True))}
            for name, values in zip(names, measured, strict=True)
        ],
    )


def check_adapter_cards(evidence: Evidence, part: str | None) -> None:
    """Map the features to configurations; compare what determined each adapter with the lake."""
    common = {
        "base": base_card(evidence).sha256,
        "examples": examples_sha256(evidence.built("examples", Example)),
        "training": lake.plain(evidence.settings.training),
    }
    wanted = _wanted(_plans(evidence, part))
    there = evidence.attempt("adapter_cards", part, lambda: lake.read_raw("adapter_cards", part))
    index = _by_asked(there)
    keys = []
    for number, (seed, configuration) in enumerate(wanted):
        known = {**common, "configuration": configuration, "seed": seed}
        found = index.get(_asked(seed, configuration))
        if found is None and len(there) == len(wanted):
            found = there[number]
        if found is None:
            evidence.doubt("adapter_cards", part, None, "no such row", configuration)
        elif _broken(found) or key_of(found["determinants"]) == found["key"]:
            # Where determinants are not those of the lake, they are named, not the key as well.
            keys.append((found["key"], known))
        else:
            keys.append((key_of({**found["determinants"], **known}), known))
    rows = evidence.settle("adapter_cards", part, [{"key": key} for key, _ in keys])
    broken = evidence.tainted("adapter_cards", part, 1)
    for card, (_, known) in zip(rows, keys, strict=True):
        if (card["key"],) in broken:
            continue
        for name, should in known.items():
            found = card["determinants"].get(name)
            for path, one, other in differences(found, should, f"determinants.{name}"):
                row = f"row of {card['key'][:8]}"
                evidence.doubt("adapter_cards", part, path, one, other, row=row)


def _wanted(plans: Sequence[Plan]) -> list[tuple[int, Row]]:
    """Return seed and configuration of every adapter, in the order in which they are trained."""
    distinct: dict[int, dict[AdapterConfiguration, None]] = {}
    for one in plans:
        distinct.setdefault(one.seed, {})[one.configuration] = None
    return [
        (seed, lake.plain(configuration))
        for seed, configurations in distinct.items()
        for configuration in configurations
    ]


def _by_asked(cards: Sequence[Row]) -> dict[str, Row]:
    """Return the first card of each seed and configuration."""
    first: dict[str, Row] = {}
    for row in cards:
        known = row["determinants"]
        first.setdefault(_asked(known.get("seed"), known.get("configuration")), row)
    return first


def _asked(seed: object, configuration: object) -> str:
    return json.dumps([seed, configuration], sort_keys=True)


def _broken(card: Row) -> bool:
    schema = validator("adapter_cards").schema
    columns = seals.broken("adapter_cards", schema, [card["key"]], card)
    # With all broken, the key that they are sealed with is what was changed.
    return columns == ["determinants"]


def check_adapter_folders(evidence: Evidence, part: str | None) -> None:
    """Hash the adapters' files."""
    broken = evidence.tainted("adapter_cards", part, 1)
    cards = {
        row["key"]: None if (row["key"],) in broken else row["files"]
        for row in evidence.rows("adapter_cards", part)
    }
    compare_folders(evidence, "adapter_folders", part, cards)


def compare_folders(
    evidence: Evidence, table: str, part: str | None, recorded: Mapping[str, Row | None]
) -> None:
    """Compare adapters' folders with the hashes of their files; None where these do not hold."""
    folder = lake.path(table, part)
    there = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    for name in sorted(there ^ recorded.keys()):
        one, other = ("a folder", "none") if name in there else ("no folder", "one")
        evidence.doubt(table, part, None, one, other, file=folder / name)
    for name in sorted(there & recorded.keys()):
        expected = recorded[name]
        if expected is None:
            continue
        files = {file.name: found_sha256(file) for file in (folder / name).iterdir()}
        for path, found, should in differences(files, expected, ""):
            evidence.doubt(table, part, None, found, should, file=folder / name / path[1:])


def check_adapters(evidence: Evidence, part: str | None) -> None:
    """Map the features to configurations and knobs again, and look the adapters up."""
    cards = _by_asked(evidence.rows("adapter_cards", part))
    expected = []
    for one in _plans(evidence, part):
        configuration = lake.plain(one.configuration)
        card = cards.get(_asked(one.seed, configuration))
        expected.append(
            {
                "genome": one.genome,
                "key": UNKNOWN if card is None else card["key"],
                "coordinates": list(one.coordinates),
                "configuration": configuration,
                "knobs": asdict(one.knobs),
            }
        )
    evidence.settle("adapters", part, expected)


def _plans(evidence: Evidence, part: str | None) -> list[Plan]:
    return plan(
        evidence.frame("features", part),
        Transport.from_plain(evidence.document("calibration")),
        evidence.settings,
    )


def check_adapter_durations(evidence: Evidence, part: str | None) -> None:
    """Check that every adapter has its duration."""
    cards = evidence.rows("adapter_cards", part)
    evidence.settle("adapter_durations", part, [{"unit": row["key"]} for row in cards])


def check_selection(evidence: Evidence, part: str | None) -> None:
    """Select again."""
    assert part is not None
    rows, _ = _selected(evidence, part)
    evidence.settle("selection", part, [lake.plain(row) for row in rows])


def _selected(evidence: Evidence, part: str) -> Any:
    """Return the selection rows and the next population, from the population and its scores."""
    return evidence.once("selected", part, lambda: _select(evidence, part))


def _select(evidence: Evidence, part: str) -> Any:
    genomes = evidence.built("population", Genome, part)
    scores = evidence.frame("scores", part)
    return evidence.attempt(
        "selection", part, lambda: next_generation(genomes, scores, int(part), evidence.settings)
    )
