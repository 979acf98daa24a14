"""Units of work on a real Dask cluster: the same bytes as on this machine, whatever happens to it.

Scheduler and workers are processes on loopback. The model is tiny, the jail and the linters real.
"""

import hashlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import dask
import pytest
from distributed import Client

from coral_batch.commands import doctor
from coral_batch.lake import params
from coral_batch.lake.store import Store
from coral_batch.linting.pool import lint
from coral_batch.verdicts.pool import judge
from coral_batch.work import cluster, parallel
from tests import REPOSITORY
from tests.dask_cluster import PATIENCE, Cluster, meet, nap
from tests.errors import refused
from tests.pipeline import hashes, run, stages_run
from tests.programs import MIXED, SETTINGS, program, untimed


@pytest.fixture
def scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A scheduler without workers, which units go to."""
    with closing(Cluster(tmp_path / "dask")) as made:
        monkeypatch.setenv(parallel.ADDRESS, made.address)
        yield made


def kill_one_that_works(
    address: str, on: str, when: Callable[[], bool] = lambda: True, patience: float = PATIENCE
) -> int:
    """Kill a worker in the middle of a unit of the function `on`; return its process id."""
    deadline = time.monotonic() + patience
    with Client(address, set_as_default=False) as watch:
        while time.monotonic() < deadline:
            for worker, units in watch.processing().items():
                if any(on in unit for unit in units) and when():
                    pid: int = watch.run(os.getpid, workers=[worker])[worker]
                    os.kill(pid, signal.SIGKILL)
                    return pid
            time.sleep(0.01)
    raise AssertionError(f"no worker was at {on}")


# One of each stage that hands out units of work.
STAGES = (
    *("bugs", "examples", "adapters@001", "samples@001", "verdicts@001", "findings@001"),
    *("linteval_items", "linteval_samples@base", "linteval_scores@base"),
)


@pytest.mark.long
def test_a_run_on_a_cluster_has_the_same_bytes_though_a_worker_is_killed(
    copy: Path, scheduler: Cluster
) -> None:
    before = hashes(copy)
    shutil.rmtree(copy / ".coral")
    scheduler.worker("--nworkers=2", "--resources=device=1")
    store = Store(copy / ".coral/store")
    command = ("env", f"{parallel.ADDRESS}={scheduler.address}", "dvc", "repro", "--force")

    def training() -> bool:
        return bool(store.unfinished())

    with ThreadPoolExecutor() as meanwhile:
        printed = meanwhile.submit(run, copy, *command, "--single-item", *STAGES)
        # A busy machine takes minutes to the first adapter.
        kill_one_that_works(scheduler.address, "_train_unit", training, 3 * PATIENCE)
    assert stages_run(printed.result()) == set(STAGES)
    assert hashes(copy) == before


def test_the_jail_and_the_linters_work_in_workers_though_one_is_killed(
    scheduler: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def f(n):\n    return sum(1 for _ in range({})) and n\n"
    slow = [program("f", code.format(100_000 + k), [((1,), 1)]) for k in range(20)]
    sources = [program.code for program in [*MIXED, *slow]]
    scheduler.worker("--nworkers=2")
    journal = tmp_path / "verdicts.jsonl"
    with ThreadPoolExecutor() as meanwhile:
        killed = meanwhile.submit(kill_one_that_works, scheduler.address, "_work")
        judged = untimed(judge([*MIXED, *slow], SETTINGS, journal=journal))
    assert killed.result()
    linted = lint(sources)
    monkeypatch.delenv(parallel.ADDRESS)
    assert judged == untimed(judge([*MIXED, *slow], SETTINGS, workers=1))
    assert linted == lint(sources, workers=1)
    assert len(journal.read_text().splitlines()) == len({program.code for program in MIXED}) + 20


@pytest.mark.long
def test_a_worker_that_joins_late_takes_its_share_and_a_slow_one_only_its_own(
    scheduler: Cluster, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found = {}
    arrived = tmp_path / "arrived"
    arrived.mkdir()
    # However long the second worker takes to start, there is work left for it.
    units = [(str(arrived), 2 if number else 1, number) for number in range(24)]
    arguments = ("--no-nanny", "--resources=device=1")
    threading.Timer(3, scheduler.worker, arguments).start()
    slow = None
    for number, (same, pid) in parallel.run(meet, units, device=True):
        assert same == number
        found[number] = pid
        if len(found) == 1:
            scheduler.worker(*arguments)
        if len(set(found.values())) == 2 and slow is None:
            first = next(iter(found.values()))
            os.kill(first, signal.SIGSTOP)
            slow = threading.Timer(1, os.kill, (first, signal.SIGCONT))
            slow.start()
    assert slow is not None
    slow.join()
    assert sorted(found) == list(range(24))
    assert len(set(found.values())) == 2
    assert "waiting for a worker" in capfd.readouterr().err


@pytest.mark.long
def test_only_workers_that_offer_a_device_get_what_needs_one(scheduler: Cluster) -> None:
    scheduler.worker("--no-nanny")
    offering = scheduler.worker("--no-nanny", "--resources=device=1")
    units = [(0.01, number) for number in range(6)]
    assert {pid for _, (_, pid) in parallel.run(nap, units, device=True)} == {offering.pid}
    assert parallel.slots(device=True) == 1


@pytest.mark.long
def test_a_scheduler_that_comes_back_finds_the_run_waiting_and_one_that_does_not_ends_it(
    scheduler: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler.worker("--no-nanny")
    results = parallel.run(nap, [(0.1, number) for number in range(20)])
    numbers = [next(results)[0]]
    scheduler.close()
    port = int(scheduler.address.rpartition(":")[2])
    with closing(Cluster(tmp_path / "again", port)) as again:
        again.worker("--no-nanny")
        numbers += [number for number, _ in results]
        assert sorted(numbers) == list(range(20))
        results = parallel.run(nap, [(0.1, number) for number in range(20)])
        next(results)
    soon = dask.config.set({"distributed.comm.timeouts.connect": "1s"})
    with soon, refused("does not answer", "finished work is kept"):
        list(results)


@pytest.mark.long
def test_a_worker_that_sees_other_bytes_refuses(scheduler: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "input"
    file.write_text("one")
    before = hashlib.sha256(b"one").hexdigest()
    results = parallel.run(nap, [(0, 0)], reads=[[file]])

    def edit() -> None:
        time.sleep(0.5)  # the unit is on its way then; there is no worker yet
        file.write_text("two")
        scheduler.worker("--no-nanny", "--name=late")

    with ThreadPoolExecutor() as meanwhile, refused(file, before, "worker late on"):
        meanwhile.submit(edit)
        list(results)


def test_a_worker_with_other_code_refuses(scheduler: Cluster, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "coral_batch", tmp_path / "coral_batch", ignore=ignored)
    with (tmp_path / "coral_batch/seeding.py").open("a") as module:
        module.write("EDITED = True\n")
    scheduler.worker("--no-nanny", first=tmp_path)
    with refused("code or packages differ"):
        list(parallel.run(nap, [(0, 0)]))


@pytest.mark.long
def test_a_worker_without_a_required_layer_of_isolation_refuses(
    scheduler: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "pyseccomp.py").write_text("raise OSError('no libseccomp')\n")
    scheduler.worker("--no-nanny", "--name=weak", first=tmp_path)
    with refused("lacks the required isolation layer seccomp", "worker weak on"):
        judge(MIXED, SETTINGS)


@pytest.mark.long
def test_the_doctor_looks_at_every_worker(scheduler: Cluster) -> None:
    settings = params.load(REPOSITORY / "params.yaml")
    for options in ("--resources=device=1", "--nthreads=2"):
        scheduler.worker("--no-nanny", options)
    with Client(scheduler.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
    refusing, working = doctor.workers(settings)
    assert (refusing.grade, working.grade) == (doctor.Grade.FAIL, doctor.Grade.OK)
    assert "--nthreads 1" in refusing.means
    assert "1 workers" in working.found and "1 with a device" in working.found
    answers = cluster.everywhere(scheduler.address, lambda: 1 / 0)
    assert "division by zero" in {answer for _, answer in answers.values()}


def test_no_cluster_at_the_address_is_an_error_that_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(parallel.ADDRESS, "nowhere://127.0.0.1:1")
    with refused("does not answer"):
        list(parallel.run(nap, [(0, 0)]))
