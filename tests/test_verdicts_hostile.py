"""Hostile programs get the verdict of an honest reading, and nothing of them gets out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from coral_batch.records.settings import Verdicts
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.layers import LAYERS, isolation
from tests.hostile import CANARY, Hostile, watched
from tests.hostile.channel import CHANNEL
from tests.hostile.escaping import DENIED, EITHER, ESCAPING, HEAD, PROGRAMS
from tests.hostile.faking import FAKING
from tests.hostile.fuzz import judged
from tests.hostile.results import RESULTS
from tests.hostile.starving import STARVING
from tests.programs import program

LIMITS = Verdicts(cpu_seconds=5.0, wall_seconds=15.0, memory_mb=256, require=())
# For programs that are to reach them; others may take what a slow machine makes of them.
SHORT = replace(LIMITS, cpu_seconds=0.3, wall_seconds=1.0)

ATTACKS = RESULTS + CHANNEL + FAKING + STARVING + ESCAPING
REACHING = EITHER | PROGRAMS


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("outside")
    with watched(folder, folder) as statements:
        yield statements


@pytest.mark.parametrize("entry", ATTACKS, ids=lambda entry: entry.name.replace(" ", "_"))
def test_gets_the_verdict_of_an_honest_reading(jail: Jail, entry: Hostile) -> None:
    limits = SHORT if "TIMEOUT" in "|".join(entry.kinds) else LIMITS
    verdicts = judged(jail, jail, program("answer", entry.code, entry.cases), limits)
    for verdict, kinds in zip(verdicts, entry.kinds, strict=True):
        assert verdict.kind in kinds.split("|"), verdict
        assert len(verdict.detail) <= 400
    assert entry.detail in verdicts[0].detail


@pytest.mark.parametrize("expression", REACHING.values(), ids=REACHING)
def test_reaches_nothing_outside(jail: Jail, outside: str, expression: str) -> None:
    code = f"{HEAD}{outside}def answer(n):\n    {expression}\n    return 2 * n\n"
    (verdict,) = judged(jail, jail, program("answer", code, [((1,), 2)]), LIMITS)
    assert verdict.kind == "ERROR"
    assert re.match(DENIED, verdict.detail)
    assert CANARY not in verdict.detail


def test_every_layer_is_in_force_here() -> None:
    assert isolation(()).layers == LAYERS
