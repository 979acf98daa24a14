"""What a stage says: whole lines where there is no terminal, at least one a minute, with an end."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coral_batch.work.progress import (
    APART,
    SILENCE,
    Growth,
    Lines,
    Notes,
    duration,
    note,
    noted,
)
from tests import REPOSITORY

LINE = re.compile(
    r"coral: (?P<what>[^:]+): (?P<done>[\d.,]+)( of (?P<total>[\d.,]+))? \w+( \([^)]*\))?"
    r" after [\dhmins. ]+(, about [\dhmins. ]+ left)?"
)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def lines(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, total: int | None = 8, notes: Notes | None = None
) -> tuple[Lines, io.StringIO]:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    return Lines(None, "training", total, "adapters", notes=notes, clock=clock), written


def test_every_unit_that_takes_long_has_a_line_with_what_is_done_and_what_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown, written = lines(clock := Clock(), monkeypatch, total=3)
    for _ in range(3):
        clock.now += 372
        shown.update()
    assert written.getvalue().splitlines() == [
        "coral: training: 1 of 3 adapters after 6 min 12 s, about 12 min 24 s left",
        "coral: training: 2 of 3 adapters after 12 min 24 s, about 6 min 12 s left",
        "coral: training: 3 of 3 adapters after 18 min 36 s",
    ]


def test_what_is_left_goes_by_the_units_that_came_last_where_they_take_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown, written = lines(clock := Clock(), monkeypatch, total=675)
    for seconds in [0.2] * 500 + [5] * 75:
        clock.now += seconds
        shown.update()
    first, *_, last = written.getvalue().splitlines()
    assert first == "coral: training: 11 of 675 adapters after 2.2 s, about 2 min 13 s left"
    assert last == "coral: training: 575 of 675 adapters after 7 min 55 s, about 8 min 20 s left"


def test_what_is_left_goes_by_the_unit_under_way_where_it_takes_longer_than_any_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown, written = lines(clock := Clock(), monkeypatch, total=675)
    for seconds in [0.15] * 670 + [600]:
        for _ in range(int(seconds)):
            clock.now += 1
            shown.look()
        clock.now += seconds % 1
        shown.update()
    told = [line for line in written.getvalue().splitlines() if ": 67" in line]
    assert told[1] == "coral: training: 670 of 675 adapters after 2 min 32 s, about 4 min 15 s left"
    assert told[-2].endswith(" after 10 min 53 s, about 46 min 0 s left")
    assert told[-1].endswith(": 671 of 675 adapters after 11 min 41 s, about 11 min 44 s left")


def test_what_is_left_of_units_that_are_finished_together_goes_by_the_mean_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown, written = lines(clock := Clock(), monkeypatch, total=48)
    for _ in range(2):
        for _ in range(60):
            clock.now += 1
            shown.look()
        for _ in range(16):
            shown.update()
    for _ in range(55):
        clock.now += 1
        shown.look()
    assert written.getvalue().splitlines()[-1] == (
        "coral: training: 32 of 48 adapters after 2 min 52 s, about 1 min 26 s left"
    )


def test_a_unit_that_takes_an_hour_has_a_line_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, written = lines(clock := Clock(), monkeypatch)
    for _ in range(3600):
        clock.now += 1
        shown.look()
    told = written.getvalue().splitlines()
    assert len(told) == 3600 // SILENCE
    assert SILENCE < 60
    assert told[0] == "coral: training: 0 of 8 adapters after 50 s"


def test_after_the_first_step_it_is_said_how_long_all_will_take(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with noted(tmp_path) as notes:
        shown, written = lines(clock := Clock(), monkeypatch, total=8, notes=notes)
        clock.now = 20  # the workers load the model, which they do once
        shown.look()
        for worker in range(2):
            note(notes.of(worker), 0.0)
        shown.look()
        clock.now = 30
        for worker in range(2):
            note(notes.of(worker), 0.05)
        shown.look()
    assert written.getvalue() == (
        "coral: training: 0.1 of 8 adapters after 30 s, about 13 min 10 s left\n"
    )
    assert not list(tmp_path.iterdir())


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(0, 50)), max_size=60))
@settings(deadline=None)
def test_lines_are_whole_apart_and_end_with_all_that_was_done(
    steps: list[tuple[float, int]],
) -> None:
    clock = Clock()
    total = sum(number for _, number in steps)
    with pytest.MonkeyPatch.context() as patch:
        shown, written = lines(clock, patch, total=total)
        with shown:
            for seconds, number in steps:
                clock.now += seconds
                shown.update(number)
    text = written.getvalue()
    assert text == "" or text.endswith("\n")
    assert "\r" not in text
    found = [LINE.fullmatch(line) for line in text.splitlines()]
    assert all(found)
    assert len(found) <= clock.now / APART + 1
    if total:
        assert found[-1] and found[-1]["done"] == found[-1]["total"]


def test_a_note_that_cannot_be_left_or_read_stops_nobody(tmp_path: Path) -> None:
    nowhere = Notes(tmp_path / "none")
    note(nowhere.of(0), 0.5)
    assert nowhere.amount() is None
    notes = Notes(tmp_path)
    notes.of("torn").write_text("")
    note(notes.of("cuda:0"), 1.25)
    note(notes.of(1), 0.5)
    assert notes.amount() == 1.75
    notes.drop("cuda:0")
    notes.drop("cuda:0")
    assert notes.amount() == 0.5


def test_a_log_that_is_closed_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, written = lines(clock := Clock(), monkeypatch)
    written.close()
    clock.now = 100
    shown.update()


def test_what_is_fetched_is_counted_in_bytes(tmp_path: Path) -> None:
    growth = Growth(tmp_path)
    (tmp_path / "part.incomplete").write_bytes(bytes(8_000_000))
    assert growth.amount() == pytest.approx(0.008, rel=0.01)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (3725, "1 h 2 min")],
)
def test_durations_are_written_as_people_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_on_a_terminal_there_is_a_bar_and_above_it_once_how_long_it_will_take(
    tmp_path: Path,
) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from coral_batch.work.progress import Lines, Notes, note, progress\n"
        "notes = Notes(Path(sys.argv[1])); note(notes.of(0), 0.5)\n"
        "shown = progress([1, 2, 3], 'training', units='adapters', notes=notes)\n"
        "times = iter(range(0, 10_000, 10)); shown._clock = lambda: next(times)\n"
        "shown._start = shown._last = 0\n"
        "for _ in shown: shown.look()\n"
    )
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, stderr=theirs, check=False)
    os.close(theirs)
    text = os.read(ours, 65536).decode()
    assert done.returncode == 0, text
    assert "training: 100%" in text
    assert text.count("coral: training: ") == 1
    assert re.search(r"coral: training: [\d.]+ of 3 adapters after .*, about .* left", text)


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from coral_batch.work.parallel import run
from tests.units import show_and_stay

results = run(show_and_stay, [(0,), (1,)], 2)
pids = [pid for _, pid in results]
for pid in {*pids, os.getpid()}:
    os.kill(pid, signal.SIGKILL)
"""


def test_a_killed_worker_that_showed_progress_leaves_nothing_to_complain_of() -> None:
    """Python's resource tracker outlives the killed and tells the terminal what they left."""
    command = [sys.executable, "-c", KILLED, str(REPOSITORY)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "semaphore" not in done.stderr
