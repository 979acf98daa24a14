"""docs/scaling.md shows what benchmarks/scaling.py computes."""

from __future__ import annotations

import pytest

from benchmarks.scaling import Run, report, seconds, units
from tests import REPOSITORY

TEXT = (REPOSITORY / "docs/scaling.md").read_text(encoding="utf-8")


def test_the_documented_figures_are_those_of_the_script() -> None:
    assert report(Run()) in TEXT
    assert report(Run(population=640)).split("\n\n")[1] in TEXT


@pytest.mark.parametrize("gpus", [1, 8, 64])
def test_more_gpus_never_take_longer_and_ten_times_the_genomes_never_less(gpus: int) -> None:
    usual, more, tenfold = seconds(Run(), gpus), seconds(Run(), 8 * gpus), seconds(Run(640), gpus)
    assert all(more[phase] <= usual[phase] for phase in usual)
    assert sum(usual.values()) <= sum(tenfold.values())


def test_no_configuration_is_trained_twice() -> None:
    found = units(Run(generations=400))
    assert found["adapters"] == pytest.approx(216)
