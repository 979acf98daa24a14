"""Kill a whole run again and again at random moments, let it finish, and compare the bytes.

``python -m tests.faults.kills --kills 30`` is the long form. Each kill ends every process of the
run at once with SIGKILL, as a power cut would; files that no one had forced to the disk are not
dropped, since a kill cannot do that.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from coral_batch.seeding import generator
from tests.test_pipeline import ENVIRONMENT, hashes, make_project, run


@dataclass
class Kills:
    """What came of a run that was killed.

    Attributes:
        moments: the stage that was running at each kill, or what DVC was doing.
        differing: files that differ from the undisturbed run in the end.
    """

    moments: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)


def killed_run(
    project: Path, undisturbed: dict[str, str], kills: int, seed: int, *targets: str
) -> Kills:
    """Run `dvc repro` in a fresh project, kill it `kills` times, finish, compare.

    Args:
        project: a project in which nothing has run.
        undisturbed: the hashes of a run that nobody killed.
        kills: how often; the run may end before, then fewer.
        seed: of the moments, each up to 12 s into the run.
        targets: stages to run, with what they need; none for all.
    """
    random = generator(seed, "kills")
    result = Kills()
    log = project / "run.log"
    for _ in range(kills):
        with log.open("wb") as output:
            running = subprocess.Popen(
                ["dvc", "repro", *targets],
                cwd=project,
                env={**ENVIRONMENT, "PYTHONPATH": str(project)},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            running.wait(float(random.uniform(1, 12)))
            break
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
        started = [line for line in log.read_text().splitlines() if line.startswith("Running")]
        result.moments.append(started[-1].split("'")[1] if started else "before a stage")
        wait_for_orphans(project)
    log.unlink()
    run(project, "dvc", "repro", *targets)
    after = hashes(project)
    names = undisturbed.keys() | after.keys()
    result.differing = sorted(n for n in names if undisturbed.get(n) != after.get(n))
    return result


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
    """Wait until no process of the project is left.

    Raises:
        AssertionError: one is left after 20 s.
    """
    deadline = time.monotonic() + 20
    while orphans(project):
        assert time.monotonic() < deadline, f"left behind: {orphans(project)}"
        time.sleep(0.05)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--a-run", type=int, default=10, help="kills before a run may finish")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="coral-kills-") as folder:
        root = Path(folder)
        first = make_project(root / "undisturbed")
        run(first, "dvc", "repro")
        expected = hashes(first)
        done = 0
        number = 0
        while done < chosen.kills:
            number += 1
            again = make_project(root / f"killed-{number}")
            outcome = killed_run(again, expected, chosen.a_run, chosen.seed + number)
            done += len(outcome.moments)
            print(f"run {number}: killed in {', '.join(outcome.moments)}")
            print(f"  {len(expected)} files compared, {len(outcome.differing)} differ")
            if outcome.differing:
                raise SystemExit("\n".join(outcome.differing))
    print(f"{done} kills over {number} runs")
