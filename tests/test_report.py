"""The report: metrics, plots and final tables of a small lake with known results."""

import csv
from pathlib import Path

import polars as pl
import pytest

from coral_batch import lake
from coral_batch.evidence.paired import Estimate
from coral_batch.lake import params
from coral_batch.records.rows import TimeRow
from coral_batch.records.settings import OBJECTIVES
from coral_batch.report.metrics import Metrics
from coral_batch.search.best import REFUSED
from coral_batch.work.text import decimal, interval
from stages.results import results
from tests.report_lake import GENERATIONS, refuse, write_best, write_lake


@pytest.fixture(autouse=True)
def small_lake(workspace: Path) -> None:
    params.write_generations(2)
    write_lake()


@pytest.fixture
def metrics() -> Metrics:
    results()
    return lake.read_document("metrics", Metrics)


def test_the_times_cover_every_part_and_name_what_is_not_timed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results()
    output = capsys.readouterr().out
    rows = [line.split() for line in output.partition("\nTimes: ")[2].splitlines()]
    # Survivors' adapters and samples are reused; equal code ran once.
    # Work done, work reused and its seconds: of training, of decoding; cases and their seconds.
    assert [" ".join(row) for row in rows if len(row) == 10 and row[-1].endswith(".0")] == [
        "validation/base 0 0 0.0 1 0 2.0 8 2.0 4.0",
        "000 3 0 30.0 3 0 9.0 8 2.0 4.0",
        "001 2 1 20.0 2 1 6.0 10 2.5 5.0",
        "evaluation 0 0 0.0 2 0 10.0 14 3.5 7.0",
        "linteval 0 0 0.0 3 1 1.5 0 0.0 0.0",
        "total 5 1 50.0 11 2 28.5 40 10.0 20.0",
    ]
    assert len(lake.read_rows("times", TimeRow)) == 5
    assert "Not timed: all else" in output


def test_when_none_passed_the_gate_the_report_says_so(capsys: pytest.CaptureFixture[str]) -> None:
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
        first, second = rows(f"objectives/{name}.csv")
        assert float(second["best"]) == getattr(metrics.best.objectives, name)
        assert float(first["mean"]) == getattr(metrics.generations["000"].objectives, name)


def test_generations_and_best_genome_are_compared_with_the_base_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results()
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= 100
    assert "\x1b" not in output
    rows = [" ".join(line.split()) for line in output.splitlines()]
    # Fitness and its mean, objectives, pass@1, problems solved, genomes that passed, new adapters:
    # 000-00 and 000-02 share one, and the survivor 000-01 brings its own along.
    for row in (
        "000 0.808 0.778 0.542 1.000 0.900 0.768 0.700 0.083 1/2 3/3 2 new",
        "001 0.900 0.839 0.708 1.000 0.900 0.842 0.700 0.417 2/2 3/3 2 new",
        "empty 0.763 0.500 1.000 0.900 0.750 0.700 0.000 0/2",
        "unchanged 0.763 0.500 1.000 0.900 0.750 0.700 0.000 0/2",
        "base 0.808 0.625 1.000 0.900 0.805 0.700 0.250 1/2",
        "001-00 0.900 0.875 1.000 0.900 0.915 0.700 0.750 2/2",
        "pass@1 75 % and 25 %, problems solved 2 and 1 of 2.",
    ):
        assert row in rows
    assert "001-00 (generation 001): fitness 0.900, base model 0.808 (+0.092)" in output
    assert "selection used these problems" in output


def test_a_lower_fitness_is_no_gain(capsys: pytest.CaptureFixture[str]) -> None:
    scores = lake.read_frame("scores", lake.VALIDATION_BASE)
    best = scores.with_columns(pl.lit(1.0).alias(name) for name in (*OBJECTIVES, "fitness"))
    lake.write_frame("scores", best, lake.VALIDATION_BASE)
    results()
    assert "base model 1.000 (-" in capsys.readouterr().out


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("value", [0.0, -0.0, -0.004, -1e-300, 0.004])
def test_no_number_is_a_negative_zero(value: float, signed: bool) -> None:
    assert decimal(value, 2, signed=signed) == ("+0.00" if signed else "0.00")
    assert decimal(-1.006, 2, signed=signed) == "-1.01"
    assert "-" not in interval(Estimate(value, value, value), signed=signed)
