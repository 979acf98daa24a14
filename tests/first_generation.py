"""A project up to its first generation's features, whose adapters and samples are made by itself.

It holds a copy of the code. What trains and draws runs in a process of its own, so that a test may
change that code or take modules away.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from stages.automata import automata
from stages.features import features
from tests import REPOSITORY
from tests.finished_lake import SETTINGS, begin
from tests.pipeline import ENVIRONMENT

SMALL = {
    **SETTINGS,
    "evolution.population": 2,
    "evolution.survivors": 1,
    "candidates.r": [2, 4],
    "candidates.lora_dropout": [0.0],
    "training.learning_rate": 1.0e-2,
    "training.batch_size": 12,
    "sampling.max_new_tokens": 12,
    "compute.threads": 1,
}
# On a processor without bf16 the two ways to compute differ by the rounding of fp32 alone.
FP32 = {"ONEDNN_MAX_CPU_ISA": "AVX2", "CUDA_VISIBLE_DEVICES": ""}
CODE = """
import sys
sys.modules |= dict.fromkeys(sys.argv[1:])  # importing one of these is an error
from stages.adapters import adapters
from stages.samples import samples
adapters("000")
samples("000")
"""


def make_first_generation(folder: Path) -> Path:
    """Make the project in `folder`, which exists."""
    for name in ("coral_batch", "stages", "schemas"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignore)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        begin(folder, SMALL, 1)
        automata("000")
        features("000")
    return folder


def train_and_draw(project: Path, without: Iterable[str] = ()) -> None:
    """Run the stages `adapters` and `samples` where the modules in `without` cannot be imported."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, *without],
        cwd=project,
        env={**ENVIRONMENT, **FP32},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def rows(project: Path, table: str) -> list[dict[str, object]]:
    """Return the rows of a table of the generation, as they are written."""
    text = (project / f"lake/generations/000/{table}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]
