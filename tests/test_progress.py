"""Progress on stderr: bars on a terminal, whole lines elsewhere."""

import io
import re
import sys

import pytest
import tqdm.std

from coral_batch.work.progress import progress, say_reuse


class Clock:
    """A clock that only tests move."""

    now = 1000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(tqdm.std, "time", lambda: clock.now)
    return clock


@pytest.mark.parametrize(
    ("pauses", "lines"),
    [
        ([3.3] * 3, []),  # less than ten seconds in total
        (
            [0.5] * 30,
            [
                "20 of 30 adapters after 00:10, 00:05 left",
                "30 of 30 adapters after 00:15, 00:00 left",
            ],
        ),
        (
            [372.25] * 3,
            [
                "1 of 3 adapters after 06:12, 12:24 left",
                "2 of 3 adapters after 12:24, 06:12 left",
                "3 of 3 adapters after 18:36, 00:00 left",
            ],
        ),
    ],
)
def test_slow_units_print_a_line_each_and_quick_work_prints_none(
    clock: Clock, capsys: pytest.CaptureFixture[str], pauses: list[float], lines: list[str]
) -> None:
    for pause in progress(pauses, "training", units="adapters"):
        clock.now += pause
    assert capsys.readouterr().err.splitlines() == [f"coral: training: {line}" for line in lines]


def test_a_closed_log_is_ignored(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    with progress(None, "training", 8, units="adapters") as shown:
        written.close()
        clock.now += 100
        shown.update()


def test_reuse_is_reported_only_if_the_work_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    say_reuse("samples", [0.1] * 20, [])
    assert capsys.readouterr().err == ""
    say_reuse("samples", [9.0], [1.5, 0.5])
    assert capsys.readouterr().err == (
        "coral: samples: 1 of 3 from the store, saving 9.0 s; 2 made now in 2.0 s\n"
    )


def test_a_terminal_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    list(progress([1, 2, 3], "training", units="adapters"))
    assert re.search(r"training: 100%.*3/3", screen.getvalue())
