"""What memory the jails of this machine may take together.

A program is held to `verdicts.memory_mb` by a limit on its address space, and programs run side by
side, one a worker: there are no more workers than what is free holds, or the kernel would look for
something to kill.

Where this user may make control groups (version 2, as below a user's systemd), all jails also run
in one group with one limit. That covers what the sum does not see: the kernel's own memory for
what programs do, and several runs at once. The group stays, empty, and each run sets its limit.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from coral_batch.errors import CoralError
from coral_batch.work.address import cluster
from coral_batch.work.machine import available_memory
from coral_batch.work.parallel import slots

GROUP = "coral-jails"
_SHARE = 0.9  # of what is free
_ENTER = 'echo $$ > "$0" && exec "$@"'


def workers_that_fit(workers: int | None, memory_mb: int) -> int | None:
    """Return how many workers judge side by side; a cluster's are not this machine's to count.

    Args:
        workers: as compute.workers; None for one a core, or fewer where memory is short.
        memory_mb: what each may take, MiB.

    Raises:
        CoralError: fewer fit into what is free than were asked for, or none does.
    """
    if cluster():
        return workers
    available = available_memory()
    fit = available // (memory_mb << 20)
    if fit < (workers or 1):
        raise CoralError(
            "programs that run side by side could take more memory than is free",
            file="params.yaml",
            field="compute.workers, verdicts.memory_mb",
            found=f"{workers or 1} x {memory_mb} MiB",
            expected=f"at most {available >> 20} MiB, which are free or can be freed",
            action="free memory, or lower one of the two",
        )
    return min(slots(workers), fit)


def entrance(root: Path = Path("/")) -> tuple[str, ...]:
    """Return what stands before a jail's command line so that it starts in the group of all jails.

    Empty where this user may not make that group.

    Args:
        root: where `proc` and `sys` lie.
    """
    for parent in _groups(root):
        try:
            if "memory" not in (parent / "cgroup.subtree_control").read_text().split():
                continue
            group = parent / GROUP
            group.mkdir(exist_ok=True)
            taken = int((group / "memory.current").read_text())
            limit = int(_SHARE * available_memory(root)) + taken
            (group / "memory.max").write_text(f"{limit}\n")
        except OSError:
            continue  # not this user's
        command = ("/bin/sh", "-c", _ENTER, str(group / "cgroup.procs"))
        if subprocess.run([*command, "/bin/true"], capture_output=True, check=False).returncode:
            continue
        return command
    return ()


def _groups(root: Path) -> Iterator[Path]:
    """Yield the control group of version 2 that this process is in, and those above it."""
    known, mount = root / "proc/self/cgroup", root / "sys/fs/cgroup"
    lines = known.read_text(encoding="utf-8").splitlines() if known.is_file() else []
    for line in lines:
        if line.startswith("0::"):
            group = mount / line[3:].lstrip("/")
            yield from (
                folder for folder in (group, *group.parents) if mount in (folder, *folder.parents)
            )
