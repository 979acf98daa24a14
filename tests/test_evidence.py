"""The evidence of a small run: separate scores, their intervals, the budget of the search."""

import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.evidence.summary import Evidence
from coral_batch.records.rows import AdapterRow, BestRow, FirstChangeRow
from coral_batch.report.claims import claims
from stages.evidence import evidence
from tests.report_lake import make_run


@pytest.fixture
def run(workspace: Path) -> Path:
    make_run()
    return workspace


@pytest.fixture
def found(run: Path) -> Evidence:
    evidence()
    return lake.read_document("evidence", Evidence)


def test_selection_and_held_out_scores_are_separate(found: Evidence) -> None:
    assert list(found.scores) == ["held_out", "selection"]
    for comparison in found.scores.values():
        assert comparison.problems == 2
        assert (comparison.best_samples, comparison.k) == (2, 1)
        assert comparison.pass_at_1.first.value == 0.25
        assert comparison.pass_at_1.second.value == 0.75
        assert comparison.pass_at_1.difference.value == 0.5


@pytest.mark.parametrize("part", [lake.VALIDATION_BASE, lake.EVALUATIONS["best"]])
def test_scores_of_different_problems_are_refused(run: Path, part: str) -> None:
    rows = lake.read_frame("scores", part)
    lake.write_frame("scores", rows.filter(pl.col("problem") != rows["problem"][0]), part)
    with pytest.raises(CoralError, match=f"different problems[\\s\\S]*{rows['problem'][0]}"):
        evidence()


def test_first_changes_of_different_problems_are_refused(run: Path) -> None:
    looks = lake.read_rows("first_changes", FirstChangeRow, "evaluation/base")
    lake.write_rows("first_changes", looks[1:], "evaluation/base")
    with pytest.raises(CoralError, match="first changes of different problems"):
        evidence()


def test_an_evaluation_of_another_genome_than_the_best_is_refused(run: Path) -> None:
    """`dvc repro best` alone leaves the evaluation of the genome that was best before."""
    best = lake.read_document("best", BestRow)
    lake.write_document("best", replace(best, genome="000-02", generation="000"))
    with pytest.raises(
        CoralError, match=f"an evaluation of {best.genome}; the best genome is 000-02"
    ):
        evidence()


def test_the_budget_counts_each_adapter_and_each_draw_once(found: Evidence) -> None:
    budget = found.budget
    adapters = {
        row.key: row.tokens
        for part in ("000", "001")
        for row in lake.read_rows("adapters", AdapterRow, part)
    }
    assert budget.genomes == 5
    assert (budget.adapters, budget.training_tokens) == (len(adapters), sum(adapters.values()))
    # 000-00 and 000-02 share adapter and knobs, 000-01 lives on: four draws of 2 x 2 samples.
    assert (budget.samples, budget.decoded_tokens) == (16, 16 * 20)


def test_first_changes_are_compared(run: Path) -> None:
    part = lake.EVALUATIONS["best"]
    looks = lake.read_rows("first_changes", FirstChangeRow, part)
    changed = [replace(looks[0], line=1, right=1.0), *looks[1:]]
    lake.write_rows("first_changes", changed, part)
    evidence()
    found = lake.read_document("evidence", Evidence)
    line, right = (found.first_changes[name] for name in ("line", "right"))
    assert (line.problems, line.programs) == (right.problems, right.programs) == (2, 2)
    assert (line.paired.first.value, line.paired.second.value) == (1.0, 0.5)
    gain = (1.0 - (looks[0].right or 0.0)) / 2
    assert right.paired.difference.value == pytest.approx(gain)
    assert "line of the bug ranked first" in claims(found)
    assert "P(right first change)" in claims(found)
    for evaluation in lake.EVALUATIONS.values():
        lake.write_rows("first_changes", [], evaluation)
    evidence()
    assert lake.read_document("evidence", Evidence).first_changes == {}


def test_the_pair_that_overlaps_most_is_reported(found: Evidence) -> None:
    assert {name: (c.value, c.other) for name, c in found.contamination.items()} == {
        "similarity": (0.4, "lis"),
        "ngrams": (0.3, "gcd"),
        "trees": (0.1, "gcd"),
    }


def test_the_terminal_says_whether_a_difference_is_clear(found: Evidence) -> None:
    output = claims(found)
    assert [line for line in output.splitlines() if len(line) > 100] == []
    cells = r"25 % \[0, 75\]  75 % \[25, 100\]  \+50 \[\+0, \+100\]"
    assert re.search(rf"^held out +pass@1  2 x 2 +{cells}  may be noise$", output, re.MULTILINE)
    # The best genome was chosen by it.
    assert re.search(rf"^selection +pass@1  2 x 2 +{cells} *$", output, re.MULTILINE)
