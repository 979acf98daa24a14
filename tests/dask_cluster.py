"""A real Dask cluster on loopback for tests: a scheduler and workers, a process each."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tests import REPOSITORY

PATIENCE = 300.0  # seconds, where a test would otherwise wait for ever


class Cluster:
    """A scheduler, and the workers that were started for it."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        file.unlink(missing_ok=True)
        self.scheduler = self._start(
            "scheduler", "--host=127.0.0.1", f"--port={port}", f"--scheduler-file={file}"
        )
        deadline = time.monotonic() + PATIENCE
        while True:
            # Dask creates the file first and then writes it.
            with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
                self.address: str = json.loads(file.read_text())["address"]
                break
            assert self.scheduler.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def worker(self, *options: str, first: Path = REPOSITORY) -> subprocess.Popen[bytes]:
        """Start a worker of one thread that offers no device; it joins when it is ready.

        Args:
            options: more of them, for `dask worker`.
            first: where it looks for modules before it looks in the repository.
        """
        folder = f"--local-directory={self._folder}"
        options = (self.address, "--nthreads=1", "--host=127.0.0.1", folder, *options)
        return self._start("worker", *options, first=first)

    def close(self) -> None:
        """Kill all that was started."""
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()

    def _start(
        self, command: str, *options: str, first: Path = REPOSITORY
    ) -> subprocess.Popen[bytes]:
        with (self._folder / f"{command}-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", command, "--no-dashboard", *options],
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": f"{first}{os.pathsep}{REPOSITORY}"},
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)
        return process


def meet(folder: str, parties: int, number: int) -> tuple[int, int]:
    """Wait until so many processes are at a unit of this folder, then nap.

    Args:
        folder: where each leaves its process id.
        parties: how many to wait for, this one included.
        number: of the unit.
    """
    (Path(folder) / str(os.getpid())).touch()
    deadline = time.monotonic() + PATIENCE
    while len(list(Path(folder).iterdir())) < parties:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return nap(0.1, number)


def nap(seconds: float, number: int) -> tuple[int, int]:
    """Stand for a unit of work; return the number, and which process did it."""
    time.sleep(seconds)
    return number, os.getpid()
