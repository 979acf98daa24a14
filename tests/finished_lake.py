"""A finished run on a tiny model, made in this process: every table of two generations."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from coral_batch import lake, params
from stages.adapters import adapters
from stages.automata import automata
from stages.base import base
from stages.calibration import calibration
from stages.corpus import corpus
from stages.examples import examples
from stages.features import features
from stages.findings import findings
from stages.population import population
from stages.report import report
from stages.samples import samples
from stages.scores import scores
from stages.selection import selection
from stages.split import split
from stages.verdicts import verdicts
from tests.conftest import REPOSITORY
from tests.tiny import make_tiny_base

SETTINGS = (
    (r"model: \S+", "model: tiny"),
    (r"height: \d+", "height: 8"),
    (r"width: \d+", "width: 12"),
    (r"steps: \d+", "steps: 6"),
    (r"automata: \d+", "automata: 64"),
    (r"bins: \d+", "bins: 2"),
    (r"  r: .*", "  r: [2, 4]"),
    (r"batch_size: \d+", "batch_size: 24"),
    (r"samples: \d+", "samples: 2"),
    (r"max_new_tokens: \d+", "max_new_tokens: 12"),
    (r"population: \d+", "population: 3"),
    (r"workers: \S+", "workers: 1"),
)


def make_finished_lake(folder: Path) -> None:
    """Run every stage of two generations in `folder`, which is the working directory."""
    text = (REPOSITORY / "params.yaml").read_text()
    for pattern, replacement in SETTINGS:
        text, count = re.subn(pattern, replacement, text, count=1)
        assert count == 1, pattern
    (folder / "params.yaml").write_text(text)
    shutil.copytree(REPOSITORY / "lake/raw/classics", folder / "lake/raw/classics")
    make_tiny_base(folder / "tiny")
    params.write_generations(2)
    for stage in (corpus, split, base, examples, calibration, population):
        stage()
    for generation in ("000", "001"):
        for step in (automata, features, adapters, samples, verdicts, findings, scores, selection):
            step(generation)
    for step in (samples, verdicts, findings, scores):
        step(lake.BASELINE)
    report()
