"""Units of work on a Dask cluster: what `coral_batch.work.parallel` does when one is named.

Dask deals the units out, does those of a lost worker again, and gives a worker that joins late its
share. Here is what it does not know: that a worker has to run this very code with the same packages
on the same bytes, one unit at a time. A worker where that is not so refuses its unit, which stops
the run with an error that names the worker and what it has.

Client.submit rather than joblib's Dask backend, which lays arguments of a kilobyte on one worker
and loses them with it, and waits for ever for a unit that Dask has given up (joblib 1.6.0).

What is not covered: a worker that lies. Whoever reaches the scheduler can run code on every worker.
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
"""The resource that a worker offers once for each device it trains and decodes on."""

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
        CoralError: the scheduler does not answer or is lost, a unit takes every worker down that
            tries it, or a worker refuses.
    """
    client = _client(address)
    hashes = {file: file_sha256(file) for files in reads for file in files}
    if units and not _workers(client, device):
        offering = f" that offers the resource {DEVICE}" if device else ""
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
    """Return how many units the workers that are there work on at a time, >= 1."""
    return max(1, len(_workers(_client(address), device)))


def everywhere(
    address: str, function: Callable[..., Any], *arguments: Any
) -> dict[str, tuple[bool, str | None]]:
    """Call `function` once on every worker that is there.

    Returns:
        A worker's address -> whether it offers a device, and why it would refuse units or what
        `function` raises as a `CoralError`; None when nothing is wrong.
    """
    client = _client(address)
    devices = _workers(client, device=True)
    answers = client.run(_objection, function, arguments, _programs())
    return {name: (name in devices, answer) for name, answer in answers.items()}


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
    """Return the addresses of the workers that may be given units."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return [name for name, one in workers.items() if not device or one["resources"].get(DEVICE)]


_clients: dict[str, Client] = {}


def _client(address: str) -> Client:
    """Return this process's client; a new one when the old one has lost its scheduler."""
    if address not in _clients or _clients[address].status != "running":
        # Of a lost scheduler they log a traceback; we say it in a sentence.
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
                action="start it, or unset the variable to compute on this machine, and run `dvc "
                f"repro`: what was finished is kept ({error})",
            ) from None
    return _clients[address]


def _result(future: Future, address: str) -> Any:
    try:
        return future.result()
    except KilledWorker as error:
        raise CoralError(
            "a unit of work took every worker down that tried it",
            found=str(error).partition("\n")[0],
            action="look for out-of-memory kills in the workers' logs, give them more memory "
            "(--memory-limit), and run `dvc repro`: what was finished is kept",
        ) from None
    except (RuntimeError, ModuleNotFoundError) as error:
        lacking = isinstance(error, ModuleNotFoundError) or "deserialization" in str(error)
        if not lacking:
            raise
        raise CoralError(
            "the scheduler or a worker of the cluster cannot import this project",
            field=ADDRESS,
            found=address,
            expected="coral_batch and its packages installed there as they are here",
            action=f"install them there, and start scheduler and workers again ({error})",
        ) from None
    except (CancelledError, OSError) as error:
        raise SchedulerLostError(
            "the connection to the cluster's scheduler was lost again and again",
            field=ADDRESS,
            found=address,
            action=f"look into its log, and run `dvc repro`: what was finished is kept ({error})",
        ) from None


def _work(
    function: Callable[..., Result],
    unit: tuple[Any, ...],
    reads: dict[str, str],
    programs: dict[str, str],
) -> Result:
    """Do one unit in a worker, or say why not."""
    worker = get_worker()
    try:
        _check(worker.state.nthreads, programs)
        vouched = "the run that asks for it"
        action = "let all machines see the same lake and the same .coral under the same path"
        check_files(Path("/"), reads, vouched, action)
        return function(*unit)
    except CoralError as error:
        where = f"worker {worker.name} on {socket.gethostname()}, process {worker.address}"
        raise CoralError(f"{error}\n  where:    {where}") from None


def _check(threads: int, programs: dict[str, str]) -> None:
    if threads > 1:
        raise CoralError(
            "a worker would do several units at a time in one process",
            found=f"{threads} threads",
            expected="one, since torch's state and the jails are the process's",
            action="start the workers with --nthreads 1, and more of them (--nworkers)",
        )
    here = _programs()
    other = {name: here[name] for name in programs if here[name] != programs[name]}
    if other:
        raise CoralError(
            "a worker runs other programs than the run that asks it",
            found=other,
            expected=str({name: programs[name] for name in other}),
            action="install the same versions there (constraints.txt), and restart the workers "
            "when the code has changed",
        )


@functools.cache
def _programs() -> dict[str, str]:
    """What computes in this process: Python, packages, and our code as it was imported."""
    versions = {name: version(name).partition("+")[0] for name in _PACKAGES}
    return {"python": platform.python_version(), "coral_batch": _CODE, **versions}


# Now, not when it is asked for: a worker that lives on while the files change runs the old ones.
_CODE = key_of({"files": sorted(map(file_sha256, Path(__file__).parents[1].rglob("*.py")))})
