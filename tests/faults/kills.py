"""Kill a whole run again and again at random moments, let it finish, and compare the bytes.

``python -m tests.faults.kills --kills 30`` is the long form; another ``--seed`` kills at other
moments. Each kill ends every process of the run at once with SIGKILL.
"""

import argparse
import os
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from coral_batch.commands.doctor import torn
from coral_batch.seeding import generator
from coral_batch.work.text import table
from tests.pipeline import ENVIRONMENT, hashes, make_project, run
from tests.processes import wait_until


def killed_run(
    project: Path, kills: int, seed: int, longest: float = 12
) -> tuple[list[str], list[str]]:
    """Run `dvc repro` in a fresh project, kill it `kills` times, and let it finish.

    Return the stage that was running at each kill, or what DVC was doing; and DVC's own files that
    were left torn, and removed as `coral doctor` says.

    Args:
        project: a project in which nothing has run.
        kills: how often; the run may end before, then fewer.
        seed: of the moments.
        longest: latest moment of a kill, in seconds from the start, > 1.
    """
    random = generator(seed, "kills")
    moments: list[str] = []
    removed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "run.log"
        for _ in range(kills):
            if not _killed(project, log, float(random.uniform(1, longest))):
                break
            for file in torn(project):
                (project / file).unlink()
                removed.append(str(file))
            lines = [line for line in log.read_text().splitlines() if line.startswith("Running")]
            moments.append(lines[-1].split("'")[1] if lines else "before a stage")
    run(project, "dvc", "repro")
    return moments, removed


def start(project: Path, *command: str, **streams: Any) -> subprocess.Popen[str]:
    """Start a command in a project, as the first process of a group."""
    return subprocess.Popen(
        command,
        cwd=project,
        env={**ENVIRONMENT, "PYTHONPATH": str(project)},
        text=True,
        start_new_session=True,
        **streams,
    )


def _killed(project: Path, log: Path, seconds: float) -> bool:
    """Run for a time and kill; False when the run ended before."""
    with log.open("wb") as output:
        running = start(project, "dvc", "repro", stdout=output, stderr=subprocess.STDOUT)
    try:
        code = running.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        wait_for_orphans(project)
        return True
    assert code == 0, log.read_text()
    return False


def orphans(project: Path) -> list[int]:
    """Return the processes whose working directory is the project's."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            here = (process / "cwd").readlink()
        except OSError:
            continue
        if here == project or project in here.parents:
            found.append(int(process.name))
    return found


def wait_for_orphans(project: Path) -> None:
    """Wait until no process of the project is left."""
    wait_until(lambda: not orphans(project))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--a-run", type=int, default=15, help="kills before a run may finish")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="coral-kills-") as folder:
        root = Path(folder)
        first = make_project(root / "undisturbed")
        begun = time.monotonic()
        run(first, "dvc", "repro")
        # So late that the kills of a run lie all over it: each costs the start of DVC and a stage.
        longest = max(12, 0.3 * (time.monotonic() - begun))
        expected = hashes(first)
        number = 0
        while counts.total() < chosen.kills:
            number += 1
            again = make_project(root / f"killed-{number}")
            most = min(chosen.a_run, chosen.kills - counts.total())
            moments, removed = killed_run(again, most, 1000 * chosen.seed + number, longest)
            counts.update(moments)
            differing = sorted(name for name, _ in expected.items() ^ hashes(again).items())
            print(f"run {number}: {len(moments)} kills")
            print(f"  removed, since DVC had left them torn: {', '.join(removed) or 'none'}")
            print(f"  {len(expected)} files compared, {len(differing)} differ", flush=True)
            if differing:
                raise SystemExit("\n".join(differing))
    rows = [(stage, str(counts[stage])) for stage in sorted(counts)]
    total = ("total", str(counts.total()))
    print(table(("killed in", "kills"), [*rows, (), total], left={"killed in"}))
