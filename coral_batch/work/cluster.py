"""Run units of work on a Dask cluster, for `coral_batch.work.parallel`.

Dask distributes the units, retries those of lost workers and gives late workers a share. This
module adds checks: a worker must run the same code with the same packages on the same files, one
unit at a time. A worker that differs refuses its unit; the run stops with an error that names the
worker and the difference.

We use Client.submit, not joblib's Dask backend: that puts arguments over a kilobyte on a single
worker, loses them with it, and waits forever for a unit that Dask has given up (joblib 1.6.0).

Workers are trusted: anyone who reaches the scheduler can run code on every worker.
"""

from __future__ import annotations

import functools
import logging
import platform
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from distributed import Client, Future, KilledWorker, Worker, as_completed, get_worker

from coral_batch.errors import CoralError
from coral_batch.lake.hashes import check_files, file_sha256
from coral_batch.lake.store import key_of
from coral_batch.work.address import ADDRESS, SchedulerLostError

DEVICE = "device"
"""The Dask resource of a worker with a device to train and decode on, one for each device."""

# Packages whose version can change a result.
_PACKAGES = (
    "autopep8", "bandit", "flake8", "mccabe", "numpy", "peft", "pycodestyle", "pyflakes", "ruff",
    "tokenizers", "torch", "transformers",
)  # fmt: skip

Result = TypeVar("Result")


def run(
    address: str,
    function: Callable[..., Result],
    units: Mapping[int, tuple[Any, ...]],
    reads: Sequence[Sequence[Path]],
    device: bool,
) -> Iterator[tuple[int, Result]]:
    """Call `function` on the workers; see `coral_batch.work.parallel.run`.

    Raises:
        CoralError: the scheduler does not answer or is lost, a unit kills every worker that tries
            it, or a worker refuses.
    """
    client = _client(address)
    hashes = {file: file_sha256(file) for files in reads for file in files}
    if units and not _workers(client, device):
        offering = f" with the resource {DEVICE}" if device else ""
        print(f"coral: waiting for a worker of {address}{offering}", file=sys.stderr, flush=True)
    futures = {
        client.submit(
            _work,
            function,
            unit,
            {str(file.absolute()): hashes[file] for file in (reads[number] if reads else ())},
            _programs(),
            key=f"{function.__name__}-{uuid4().hex}",
            pure=False,
            resources={DEVICE: 1} if device else None,
        ): number
        for number, unit in units.items()
    }
    try:
        for future in as_completed(list(futures)):
            number = futures.pop(future)
            yield number, _result(future, address)
    finally:
        if futures and client.status == "running":
            client.cancel(list(futures))


def slots(address: str, device: bool) -> int:
    """Return how many units the connected workers run at a time, >= 1."""
    return max(1, len(_workers(_client(address), device)))


def everywhere(
    address: str, function: Callable[..., Any], *arguments: Any
) -> dict[str, tuple[bool, str | None]]:
    """Call `function` once on every connected worker.

    Returns:
        A worker's address -> whether it offers a device, and the error of its checks or of
        `function` as text; None if there is none.
    """
    client = _client(address)
    devices = _workers(client, device=True)
    # An error that is returned: the worker lacks our code or a package.
    answers = client.run(_objection, function, arguments, _programs(), on_error="return")
    return {
        name: (name in devices, None if answer is None else str(answer))
        for name, answer in answers.items()
    }


def _objection(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    programs: dict[str, str],
    dask_worker: Worker,
) -> str | None:
    try:
        _check(dask_worker.state.nthreads, programs)
        function(*arguments)
    except CoralError as error:
        return str(error)
    return None


def _workers(client: Client, device: bool) -> list[str]:
    """Return the addresses of the usable workers."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return [name for name, one in workers.items() if not device or one["resources"].get(DEVICE)]


_clients: dict[str, Client] = {}


def _client(address: str) -> Client:
    """Return this process's client; reconnect if it has lost its scheduler."""
    if address not in _clients or _clients[address].status != "running":
        # They log tracebacks for a lost scheduler; we print one sentence.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            _clients[address] = Client(address)
        except (OSError, ValueError, TypeError) as error:
            raise CoralError(
                "the cluster does not answer",
                field=ADDRESS,
                found=address,
                expected="the address of a Dask scheduler, such as tcp://127.0.0.1:8786",
                action="start it, or unset the variable to compute on this machine, then run `dvc "
                f"repro`; finished work is kept ({error})",
            ) from None
    return _clients[address]


def _result(future: Future, address: str) -> Any:
    try:
        return future.result()
    except KilledWorker as error:
        raise CoralError(
            "a unit of work killed every worker that tried it",
            found=str(error).partition("\n")[0],
            action="check the workers' logs for out-of-memory kills, raise --memory-limit, "
            "then run `dvc repro`; finished work is kept",
        ) from None
    except (RuntimeError, ModuleNotFoundError) as error:
        lacking = isinstance(error, ModuleNotFoundError) or "deserialization" in str(error)
        if not lacking:
            raise
        raise CoralError(
            "the scheduler or a worker cannot import this project",
            field=ADDRESS,
            found=address,
            expected="coral_batch and its packages, the same versions as here",
            action=f"install them there, then restart scheduler and workers ({error})",
        ) from None
    except (CancelledError, OSError) as error:
        if future.status == "error":  # of the unit itself
            raise
        raise SchedulerLostError(
            "repeatedly lost the connection to the cluster's scheduler",
            field=ADDRESS,
            found=address,
            action=f"check its log, then run `dvc repro`; finished work is kept ({error})",
        ) from None


def _work(
    function: Callable[..., Result],
    unit: tuple[Any, ...],
    reads: dict[str, str],
    programs: dict[str, str],
) -> Result:
    """Run one unit in a worker, or raise the reason why not."""
    worker = get_worker()
    try:
        _check(worker.state.nthreads, programs)
        vouched = "the run's own copy"
        action = "mount the same lake and .coral at the same path on all machines"
        check_files(Path("/"), reads, vouched, action)
        return function(*unit)
    except CoralError as error:
        where = f"worker {worker.name} on {socket.gethostname()}, process {worker.address}"
        raise type(error)(f"{error}\n  where:    {where}") from None


def _check(threads: int, programs: dict[str, str]) -> None:
    if threads > 1:
        raise CoralError(
            "a worker would run several units at a time in one process",
            found=f"{threads} threads",
            expected="1 thread: torch's state and the jails belong to the process",
            action="start the workers with --nthreads 1, and more of them (--nworkers)",
        )
    here = _programs()
    other = {name: here[name] for name in programs if here[name] != programs[name]}
    if other:
        raise CoralError(
            "a worker's code or packages differ from the run's",
            found=other,
            expected=str({name: programs[name] for name in other}),
            action="install the same versions there (constraints.txt); restart the workers "
            "after the code has changed",
        )


@functools.cache
def _programs() -> dict[str, str]:
    """Return the versions of Python and packages, and the hash of our code at import time."""
    versions = {name: version(name).partition("+")[0] for name in _PACKAGES}
    return {"python": platform.python_version(), "coral_batch": _CODE, **versions}


# Hashed at import: a worker keeps running the old code when files change.
_CODE = key_of({"files": sorted(map(file_sha256, Path(__file__).parents[1].rglob("*.py")))})
