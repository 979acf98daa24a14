"""The report: metrics, plots and final tables of a small lake with known results."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest

from coral_batch import lake
from coral_batch.evidence.paired import Estimate
from coral_batch.lake import params
from coral_batch.records.rows import TimeRow
from coral_batch.records.settings import OBJECTIVES
from coral_batch.report.claims import interval
from coral_batch.report.metrics import Metrics
from coral_batch.search.best import REFUSED
from coral_batch.work.text import decimal
from stages.results import results
from tests.report_lake import GENERATIONS, refuse, write_best, write_lake


@pytest.fixture
def small_lake(workspace: Path) -> Path:
    params.write_generations(2)
    write_lake()
    return workspace


@pytest.fixture
def metrics(small_lake: Path) -> Metrics:
    results()
    return lake.read_document("metrics", Metrics)


def test_the_best_genome_is_compared_with_the_base_model(metrics: Metrics) -> None:
    assert (metrics.best.genome, metrics.best.generation) == ("001-00", "001")
    assert metrics.best.configuration["use_dora"]
    assert metrics.best.configuration["target_modules"] == "q_proj,v_proj"
    assert metrics.best.pass_at_1 == 0.75
    assert metrics.best.problems_solved == 2
    assert metrics.base.pass_at_1 == 0.25
    assert metrics.base.problems_solved == 1
    assert metrics.base.objectives.bugfix == 0.625
    assert list(metrics.floors) == ["empty", "unchanged"]
    assert metrics.floors["unchanged"].problems_solved == 0
    assert metrics.floors["unchanged"].objectives.bugfix == 0.5
    assert metrics.gain.pass_at_1 == 0.5
    assert metrics.gain.problems_solved == 1
    # 2 of 4 samples more: bugfix 0.5 and style 0.22 higher in each.
    assert metrics.gain.fitness == pytest.approx(0.5 * (0.3 * 0.5 + 0.15 * 0.22), abs=1e-6)


def test_generations_are_measured_over_all_their_genomes(metrics: Metrics) -> None:
    first, second = metrics.generations["000"], metrics.generations["001"]
    assert (first.genomes, second.genomes) == (3, 3)
    assert first.pass_at_1 == pytest.approx(1 / 12, abs=1e-6)
    assert second.pass_at_1 == pytest.approx(5 / 12, abs=1e-6)
    assert (first.problems_solved, second.problems_solved) == (1, 2)
    assert first.best_fitness > first.mean_fitness
    assert second.best_fitness == metrics.best.fitness


def test_an_adapter_counts_in_the_generation_that_first_has_it(metrics: Metrics) -> None:
    # 000-00 and 000-02 share one; the survivor 000-01 brings its own along.
    assert [row.new_adapters for row in metrics.generations.values()] == [2, 2]


def test_the_times_cover_every_part_and_name_what_is_not_timed(
    small_lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results()
    rows = {row.part: row for row in lake.read_rows("times", TimeRow)}
    assert list(rows) == [
        "validation/base",
        "000",
        "001",
        "evaluation",
        "linteval",
    ]
    trained = {name: row.training_seconds for name, row in rows.items() if row.trained}
    assert trained == {"000": 30.0, "001": 20.0}
    drawn = {name: (row.decoded, row.decoding_seconds) for name, row in rows.items() if row.decoded}
    assert drawn == {
        "validation/base": (1, 2.0),
        "000": (3, 9.0),
        "001": (2, 6.0),
        "evaluation": (2, 10.0),
        "linteval": (3, 1.5),
    }
    assert rows["linteval"].decodings_reused == 1
    assert all(row.cases for name, row in rows.items() if name != "linteval")
    output = capsys.readouterr().out
    total = next(line.split() for line in output.splitlines() if line.startswith("total"))
    assert (total[3], total[6]) == ("50.0", "28.5")
    assert "Not timed: bug injection, linting, CodeLinterEval's scoring" in output


def test_when_none_passed_the_gate_the_report_says_so(
    small_lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse({*GENERATIONS["000"], *GENERATIONS["001"]})
    write_best()
    results()
    metrics = lake.read_document("metrics", Metrics)
    assert (metrics.best.genome, metrics.best.passed) == ("001-00", False)
    assert REFUSED in capsys.readouterr().out


def test_plots_hold_the_numbers_of_the_metrics(metrics: Metrics) -> None:
    def rows(name: str) -> list[dict[str, str]]:
        with (lake.path("plots") / name).open(newline="") as stream:
            return list(csv.DictReader(stream))

    fitness = rows("fitness.csv")
    assert [row["generation"] for row in fitness] == ["0", "1"]
    assert float(fitness[1]["best"]) == metrics.best.fitness
    assert float(fitness[0]["base"]) == metrics.base.fitness
    for name in OBJECTIVES:
        objective = rows(f"objectives/{name}.csv")
        assert float(objective[1]["best"]) == getattr(metrics.best.objectives, name)
        mean = getattr(metrics.generations["000"].objectives, name)
        assert float(objective[0]["mean"]) == mean
    scores = {row["bar"]: float(row["score"]) for row in rows("best_problems.csv")}
    assert scores["sieve (best)"] == 0.5
    assert scores["sieve (base)"] == 0
    assert scores["wrap (best)"] == 1
    assert len(rows("best_objectives.csv")) == 2 * len(OBJECTIVES)


def test_the_final_tables_fit_and_state_the_gain(
    small_lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results()
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= 100
    assert "\x1b" not in output
    lines = {line.split()[0]: line.split() for line in output.splitlines() if line.strip()}
    assert "pass@1 75 % and 25 %, problems solved 2 and 1 of 2." in output
    assert lines["unchanged"][1:3] == ["0.762", "0.500"]
    assert "Evolution raised fitness (+0.091): 001-00 (generation 001)" in output
    assert "evolution selected on these 2 problems" in output
    # Survivors' adapters and samples are reused; equal code ran once.
    assert lines["001"] == ["001", "2", "1", "20.0", "2", "1", "6.0", "10", "2.5", "5.0"]
    assert lines["validation/base"][1:] == ["0", "0", "0.0", "1", "0", "2.0", "8", "2.0", "4.0"]


def test_a_lower_fitness_is_no_gain(small_lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = lake.read_frame("scores", lake.VALIDATION_BASE)
    best = scores.with_columns(pl.lit(1.0).alias(name) for name in (*OBJECTIVES, "fitness"))
    lake.write_frame("scores", best, lake.VALIDATION_BASE)
    results()
    assert "Evolution did not raise fitness (-" in capsys.readouterr().out


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("value", [0.0, -0.0, -0.004, -1e-300, 0.004])
def test_no_number_is_a_negative_zero(value: float, signed: bool) -> None:
    assert decimal(value, 2, signed=signed) == ("+0.00" if signed else "0.00")
    assert decimal(-1.006, 2, signed=signed) == "-1.01"
    assert "-" not in interval(Estimate(value, value, value), signed)
