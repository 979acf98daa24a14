"""A changed parameter reruns what it touches and nothing else: real DVC on a finished run."""

from __future__ import annotations

import json
from pathlib import Path

from tests.pipeline import run, stages_run
from tests.settings import set_params


def test_a_weight_reruns_scores_and_what_follows(copy: Path) -> None:
    weights = "objectives.weights"
    set_params({f"{weights}.bugfix": 0.35, f"{weights}.security": 0.20}, copy)
    rerun = stages_run(run(copy, "dvc", "repro"))
    assert {"scores@000", "scores@001", "scores@baseline", "selection@000", "report"} <= rerun
    assert rerun <= {*STAGES_AFTER_SCORES, *BRED_AGAIN, *BEST_AGAIN}


STAGES_AFTER_SCORES = {
    "evidence",
    "scores@000",
    "scores@001",
    "scores@baseline",
    "scores@evaluation/baseline",
    "selection@000",
    "selection@001",
    "report",
    "page@000",
    "page@001",
    "page@baseline",
    "page@evaluation/baseline",
    "index",
}
# Selection with other weights may breed another generation.
BRED_AGAIN = {
    f"{stage}@001"
    for stage in ("automata", "features", "adapters", "samples", "verdicts", "findings")
}


# What is measured on the best genome alone; another one may win, or with another fitness.
BEST_AGAIN = {
    "best",
    *(
        f"{stage}@evaluation/best"
        for stage in ("samples", "verdicts", "findings", "scores", "page")
    ),
    "linteval_samples@best",
    "linteval_scores@best",
    "linteval_report",
}


def test_one_more_generation_reruns_nothing_that_stands(copy: Path) -> None:
    run(copy, "coral", "generations", "3")
    assert stages_run(run(copy, "dvc", "repro")) - BEST_AGAIN == {
        "evidence",
        "report",
        "index",
        *(
            f"{stage}@002"
            for stage in (
                "automata",
                "features",
                "adapters",
                "samples",
                "verdicts",
                "findings",
                "scores",
                "selection",
                "page",
            )
        ),
    }


def test_a_control_reruns_what_the_search_decides_and_says_what_it_spent(copy: Path) -> None:
    evolved = json.loads((copy / "lake/evidence/evidence.json").read_text())
    set_params({"search.kind": "random"}, copy)
    rerun = stages_run(run(copy, "dvc", "repro"))
    assert {"adapters@000", "selection@000", "evidence"} <= rerun
    assert not rerun & {"population", "automata@000", "features@000"}
    assert not [name for name in rerun if name.endswith("baseline")]
    evidence = json.loads((copy / "lake/evidence/evidence.json").read_text())
    assert evidence["search"] == "random"
    assert evidence["budget"]["genomes"] == evolved["budget"]["genomes"]
