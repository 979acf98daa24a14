"""Limit the number of workers by the free memory.

Each worker runs one program at a time, whose address space is limited to `verdicts.memory_mb`. With
more workers than fit into memory, the kernel's out-of-memory killer could strike.
"""

from __future__ import annotations

from coral_batch.errors import CoralError
from coral_batch.work.address import cluster
from coral_batch.work.machine import available_memory
from coral_batch.work.parallel import slots


def workers_that_fit(workers: int | None, memory_mb: int) -> int | None:
    """Return how many workers judge in parallel; on a cluster, `workers` as it is.

    Args:
        workers: as compute.workers; None for one per core, or fewer if memory is short.
        memory_mb: the limit of each, MiB.

    Raises:
        CoralError: fewer than requested fit into free memory, or none does.
    """
    if cluster():
        return workers
    available = available_memory()
    fit = available // (memory_mb << 20)
    if fit < (workers or 1):
        raise CoralError(
            "parallel jails could need more memory than is available",
            file="params.yaml",
            field="compute.workers, verdicts.memory_mb",
            found=f"{workers or 1} x {memory_mb} MiB",
            expected=f"at most {available >> 20} MiB, free or reclaimable",
            action="free memory, or lower one of the two",
        )
    return min(slots(workers), fit)
