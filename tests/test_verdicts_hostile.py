"""Hostile programs get the verdict of an honest reading, and nothing of them gets out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.layers import LAYERS, isolation
from tests.hostile import CANARY, Hostile, watched
from tests.hostile.channel import CHANNEL
from tests.hostile.escaping import ESCAPING
from tests.hostile.faking import FAKING
from tests.hostile.fuzz import judged as judge_all
from tests.hostile.results import RESULTS
from tests.hostile.starving import STARVING

LIMITS = Verdicts(cpu_seconds=5.0, wall_seconds=15.0, memory_mb=256, require=())
# For programs that are to reach them; others may take what a slow machine makes of them.
SHORT = replace(LIMITS, cpu_seconds=0.3, wall_seconds=1.0)


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    """A canary file, a canary variable, a listening port and a sibling process."""
    path = tmp_path_factory.mktemp("canary") / "secret"
    os.environ["CORAL_CANARY"] = CANARY
    with watched(path) as (port, pid):
        yield {"PATH": str(path), "PORT": port, "PID": pid}
    del os.environ["CORAL_CANARY"]


def judged(
    jail: Jail, code: str, cases: tuple[Case, ...], limits: Verdicts = LIMITS
) -> list[Verdict]:
    program = Program("hostile", "answer", code, cases, None, {})
    return judge_all(jail, jail, program, limits)


def check(entry: Hostile, verdicts: list[Verdict]) -> None:
    for verdict, kinds in zip(verdicts, entry.kinds, strict=True):
        assert verdict.kind in kinds.split("|"), verdict
        assert len(verdict.detail) <= 400
        assert CANARY not in verdict.detail
    assert entry.detail in verdicts[0].detail


@pytest.mark.parametrize(
    "entry", RESULTS + CHANNEL + FAKING + STARVING, ids=lambda entry: entry.name.replace(" ", "_")
)
def test_gets_the_verdict_of_an_honest_reading(jail: Jail, entry: Hostile) -> None:
    cases = tuple(Case(inputs, expected) for inputs, expected in entry.cases)
    limits = SHORT if "TIMEOUT" in "|".join(entry.kinds) else LIMITS
    check(entry, judged(jail, entry.code, cases, limits))


@pytest.mark.parametrize("entry", ESCAPING, ids=lambda entry: entry.name.replace(" ", "_"))
def test_reaches_nothing_outside(jail: Jail, outside: dict[str, object], entry: Hostile) -> None:
    inputs = tuple(outside[str(name)] for name in entry.cases[0][0])
    check(entry, judged(jail, entry.code, (Case(inputs, entry.cases[0][1]),)))


def test_every_layer_is_in_force_here() -> None:
    assert isolation(()).layers == LAYERS
