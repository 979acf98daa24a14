"""Where units of work run: on this machine, or on the cluster that the environment names."""

from __future__ import annotations

import os

from coral_batch.errors import CoralError

ADDRESS = "DASK_SCHEDULER_ADDRESS"


class SchedulerLostError(CoralError):
    """Lost the connection to the cluster's scheduler."""


def cluster() -> str | None:
    """Return the address of the Dask scheduler; None for this machine."""
    return os.environ.get(ADDRESS) or None
