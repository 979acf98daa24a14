"""How much of the differences that selection measured is more than noise."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from coral_batch import lake
from coral_batch.evidence.reliability import Reliability, of_selection, reliability
from coral_batch.evidence.summary import Evidence
from coral_batch.records.rows import FirstChangeRow
from coral_batch.report.claims import claims
from coral_batch.seeding import generator
from stages.evidence import evidence
from tests.report_lake import make_run


def of_one_generation(values: NDArray[np.float64]) -> Reliability:
    found = reliability(values, ["000"] * len(values))
    assert found is not None
    return found


@given(genomes=st.integers(2, 12), problems=st.integers(2, 12), seed=st.integers(0, 1000))
def test_it_is_cronbachs_alpha(genomes: int, problems: int, seed: int) -> None:
    """The two are the same (Hoyt 1941); alpha comes from variances of columns and of the sum."""
    random = generator(seed, "cronbach")
    values = random.random((genomes, 1)) + random.random((genomes, problems))
    columns, total = values.var(axis=0, ddof=1).sum(), values.sum(axis=1).var(ddof=1)
    alpha = problems / (problems - 1) * (1 - columns / total)
    assert of_one_generation(values).reliability == pytest.approx(max(0, alpha))


def test_it_separates_differences_of_genomes_from_noise() -> None:
    random = generator(1, "components")
    genomes, bugs = random.normal(0, 0.2, (400, 1)), random.normal(0, 1, (1, 50))
    values = genomes + bugs + random.normal(0, 0.7, (400, 50))
    found = of_one_generation(values)
    assert (found.genomes, found.programs) == (400, 50)
    assert found.spread == pytest.approx(0.2, rel=0.1)
    assert found.chance == pytest.approx(0.7 / np.sqrt(50), rel=0.1)
    assert found.reliability == pytest.approx(0.2**2 / (0.2**2 + 0.7**2 / 50), rel=0.1)
    # What later generations gained does not count.
    born = [str(number // 100) for number in range(400)]
    later = reliability(values + np.repeat([0, 1, 2, 3], 100)[:, None], born)
    assert later is not None
    assert later.reliability == pytest.approx(found.reliability, rel=0.02)


def test_equal_genomes_and_pure_noise_have_none() -> None:
    bugs = generator(1, "alike").random((1, 9))
    assert of_one_generation(np.repeat(bugs, 4, axis=0)).reliability == 0
    # Each solves one bug of two, another one: the means are the same, and bugs decide.
    assert of_one_generation(np.eye(2)).reliability == 0
    assert reliability(np.eye(2), ["000", "001"]) is None


def test_bugs_of_one_program_are_one_measurement() -> None:
    """Each genome is better on some programs, and none is better overall."""
    random = generator(1, "affinity")
    found = []
    for _ in range(100):
        suits = random.random((8, 8))
        bugs = (random.random((8, 8, 4)) < suits[:, :, None]).astype(float)
        rows = [
            {"genome": f"000-{genome}", "problem": f"p{program}-{bug}", "bugfix": bugfix}
            for (genome, program, bug), bugfix in np.ndenumerate(bugs)
        ]
        found.append(of_selection([pl.DataFrame(rows)], [])["repaired"])
    assert {row.programs for row in found} == {8}
    assert np.mean([row.reliability for row in found]) < 0.25


def test_the_evidence_contains_it(workspace: Path) -> None:
    make_run()
    evidence()
    found = lake.read_document("evidence", Evidence)
    assert found.reliability["repaired"].genomes == 5
    text = " ".join(claims(found).split())
    assert re.search(r"in selection: [\d.]+ \(5 genomes on bugs of 2 programs,", text)
    assert [line for line in claims(found).splitlines() if len(line) > 100] == []
    before = found.reliability["right"]
    for part in ("000", "001"):
        looks = lake.read_rows("first_changes", FirstChangeRow, part)
        lake.write_rows("first_changes", [replace(row, right=None) for row in looks], part)
    evidence()
    assert "right" not in lake.read_document("evidence", Evidence).reliability
    assert before.programs == 2
