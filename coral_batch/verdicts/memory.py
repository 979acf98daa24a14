"""What memory the jails of this machine may take together.

A program is held to `verdicts.memory_mb` by a limit on its address space, and programs run side by
side, one a worker: there are no more workers than what is free holds, or the kernel would look for
something to kill.
"""

from __future__ import annotations

from coral_batch.errors import CoralError
from coral_batch.work.address import cluster
from coral_batch.work.machine import available_memory
from coral_batch.work.parallel import slots


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
