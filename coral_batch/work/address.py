"""Where units of work go: to this machine, or to the cluster that the environment names."""

from __future__ import annotations

import os

from coral_batch.errors import CoralError

ADDRESS = "DASK_SCHEDULER_ADDRESS"


class SchedulerLostError(CoralError):
    """The cluster's scheduler went away in the middle."""


def cluster() -> str | None:
    """Return the address of the Dask scheduler that units go to; None for this machine."""
    return os.environ.get(ADDRESS) or None
