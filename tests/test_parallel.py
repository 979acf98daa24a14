"""Units of work: every one is done once, whatever happens to the processes that do it."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import joblib
import pytest

from coral_batch.errors import CoralError
from coral_batch.work.parallel import keep, run, slots


class Passing(Exception):
    """Something that passes."""


def square(number: int) -> int:
    time.sleep(0.01 * (number % 3))
    return number**2


def fail_once(marker: Path, how: str) -> str:
    """Fail the first time, in one way or another."""
    if not marker.exists():
        marker.touch()
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise Passing(how)
    return how


class Interrupting:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def interrupt_in_deletion(seconds: float) -> None:
    Interrupting()
    time.sleep(seconds)


def fall_over_none(number: int | None, deaths: Path) -> int:
    if number is None:
        time.sleep(0.1)  # while others are done
        with deaths.open("a") as file:
            file.write("died ")
        os.kill(os.getpid(), signal.SIGKILL)
    assert number is not None
    return number


@pytest.mark.parametrize("workers", [1, 2])
def test_every_result_comes_with_the_number_of_its_unit(workers: int) -> None:
    results = list(run(square, [(number,) for number in range(9)], workers))
    assert sorted(results) == [(number, number**2) for number in range(9)]
    assert list(run(square, [], workers)) == []
    assert slots(workers) == workers


def test_a_unit_whose_worker_was_killed_is_done_again(tmp_path: Path) -> None:
    units = [(tmp_path / "marker", "killed"), *[(tmp_path, str(number)) for number in range(5)]]
    assert sorted(run(fail_once, units, 2)) == [(0, "killed"), *[(n + 1, str(n)) for n in range(5)]]
    assert (tmp_path / "marker").exists()


def test_a_unit_that_kills_every_worker_is_told_though_others_are_done(tmp_path: Path) -> None:
    units = [(None, tmp_path / "deaths"), *[(number, tmp_path / "deaths") for number in range(99)]]
    done = []
    with pytest.raises(CoralError, match=r"(?s)the workers keep dying.*out-of-memory"):
        done.extend(run(fall_over_none, units, 2))
    assert (tmp_path / "deaths").read_text() == "died " * 3


def test_what_passes_is_tried_again_and_what_does_not_is_raised(tmp_path: Path) -> None:
    assert list(run(fail_once, [(tmp_path / "a", "x")], 1, again=(Passing,))) == [(0, "x")]
    with pytest.raises(Passing):
        list(run(fail_once, [(tmp_path / "b", "x")], 1))


def test_ctrl_c_with_much_left_to_do_is_one_traceback_and_no_other(tmp_path: Path) -> None:
    code = "import pathlib, sys\nfrom coral_batch.work.parallel import run\n"
    code += "from tests.units import leave_slowly\n"
    code += "folder = pathlib.Path(sys.argv[1])\n"
    code += "list(run(leave_slowly, [(folder, number) for number in range(20)], 2))\n"
    running = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while len(list(tmp_path.iterdir())) < 2:
        assert running.poll() is None
        time.sleep(0.02)
    # A terminal sends it to every process of the group.
    os.killpg(running.pid, signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == -signal.SIGINT
    assert errors.count("Traceback") == 1, errors
    assert errors.splitlines()[-1] == "KeyboardInterrupt"


def test_ctrl_c_while_an_object_is_deleted_ends_the_worker_silently(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(CoralError, match="keep dying"):
        list(run(interrupt_in_deletion, [(5,)] * 2, 2))
    assert "KeyboardInterrupt" not in capfd.readouterr().err


def test_ctrl_c_that_another_thread_hears_waits_until_the_processes_have_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin = joblib.Parallel.__call__
    begun = []

    def interrupted(pool: Any, units: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        results = begin(pool, units)
        begun.append(True)
        return results

    monkeypatch.setattr(joblib.Parallel, "__call__", interrupted)
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        list(run(square, [(number,) for number in range(9)], 2))
    done.set()
    other.join()
    assert begun == [True]


def test_each_place_keeps_one_thing_whatever_the_others_keep() -> None:
    made: list[str] = []

    def asked(place: str, key: str) -> str:
        return keep(place, key, lambda: made.append(key) or key)

    for place, key in (("left", "a"), ("right", "b"), ("left", "a"), ("right", "b")):
        assert asked(place, key) == key
    assert made == ["a", "b"]
    assert asked("left", "c") == "c"
    assert (asked("right", "b"), asked("left", "a")) == ("b", "a")
    assert made == ["a", "b", "c", "a"]
