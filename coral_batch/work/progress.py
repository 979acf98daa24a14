"""What a stage says while it works: bars on a terminal and plain lines anywhere else, how far units
are that others work on, and what the store saves it.

A line stands for every finished unit, and where units are finished in less than `APART` seconds for
several; one comes at least every `SILENCE` seconds, however long a unit takes. What is said is no
reason to stop: a log that cannot be written, or a note that cannot be left, is passed over.
"""

from __future__ import annotations

import bisect
import contextlib
import math
import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from pathlib import Path
from typing import Any, Protocol, Self

from tqdm import tqdm

APART = 2.0
"""Least seconds between two lines."""
SILENCE = 50.0
"""Seconds without a line after which one comes though nothing was finished."""
_TICK = 1.0

# tqdm's own lock is a semaphore for several processes. One that is killed leaves it behind, and
# Python's resource tracker says so on the terminal. Here only one process draws bars.
tqdm.set_lock(threading.RLock())

Tell = Callable[[float], None]
"""What work calls to say how many of its units' worth it has done and not yet handed in."""


def unheard(_: float) -> None:
    """Tell nobody."""


def progress(
    iterable: Iterable[Any] | None,
    what: str,
    total: float | None = None,
    *,
    units: str,
    initial: float = 0,
    leave: bool = True,
    notes: Notes | None = None,
) -> Any:
    """Wrap `iterable` in what shows its progress on stderr; without one, return what is updated.

    On a terminal that is a tqdm bar, else it is `Lines`. Worker processes show nothing, since who
    gave them the work does, nor do the parts of a unit where there is no terminal.

    Args:
        iterable: what is worked on, finished one by one.
        what: what is done, such as ``training``.
        total: how many units there are; None when that is not known.
        units: what the units are, in the plural.
        initial: how many of them were finished before.
        leave: False for the parts of one unit.
        notes: where those who work on the units tell how far they are.
    """
    options: dict[str, Any] = {"desc": what, "total": total, "unit": f" {units}", "leave": leave}
    terminal = _terminal()
    if multiprocessing.parent_process() is not None or not (terminal or leave):
        return tqdm(iterable, disable=True, **options)
    if total is None and isinstance(iterable, Sized):
        total = len(iterable)
    if not terminal:
        return Lines(iterable, what, total, units, initial, notes)
    bar = tqdm(iterable, initial=initial, dynamic_ncols=True, **options)
    return bar if notes is None else Lines(bar, what, total, units, initial, notes, first=True)


@contextlib.contextmanager
def fetching(what: str, folder: Path, size: float | None = None) -> Iterator[None]:
    """Say how a folder grows while others write into it, who draw bars of their own on a terminal.

    Args:
        what: what is fetched.
        folder: where to.
        size: bytes to come; None when that is not known.
    """
    if _terminal():
        yield
        return
    total = None if size is None else size / 1e9
    with Lines(None, what, total, "GB", notes=Growth(folder)):
        yield


def _terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class Underway(Protocol):
    """What knows how much is done and not handed in."""

    def amount(self) -> float | None:
        """Return how many units' worth that is; None when nobody has begun."""


class Lines:
    """Progress in whole lines, each written at once; used as a tqdm bar is.

    A thread looks every second whether a line is due, from the first item, or `with`, to the last.
    """

    def __init__(
        self,
        iterable: Iterable[Any] | None,
        what: str,
        total: float | None,
        units: str,
        initial: float = 0,
        notes: Underway | None = None,
        *,
        first: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """See `progress`.

        Args:
            iterable: as there, likewise what follows.
            what: what is done.
            total: units.
            units: their name.
            initial: those finished before.
            notes: of those at work.
            first: say only, and once, how long it will take; for use above a bar.
            clock: seconds.
        """
        self._iterable = iterable
        self._what, self._total, self._units = what, total, units
        self._initial, self._notes = initial, notes
        self._first, self._clock = first, clock
        self._file = sys.stderr  # as it is now: a stage may turn it off for what it calls
        self._finished = self._told = float(initial)
        self._detail = ""
        self._estimated = False
        self._start = self._last = clock()
        self._begun: float | None = None if notes else self._start
        self._marks: list[tuple[float, float]] = []  # when how much was done
        self._latest, self._longest = self._start, 0.0  # when a unit was finished; between two
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __iter__(self) -> Iterator[Any]:
        with self:
            for item in self._iterable or ():
                yield item
                self.update()

    def __enter__(self) -> Self:
        with contextlib.suppress(RuntimeError):  # no memory: lines then come with what is finished
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        if self._thread.ident is not None:
            self._thread.join()
        if not self._first and self._finished > self._told:
            self._say(self._finished, self._clock())

    def update(self, finished: float = 1) -> None:
        """Say that so many more units are finished."""
        now = self._clock()
        self._longest, self._latest = max(self._longest, now - self._latest), now
        self._finished += finished
        self.look()

    def set_postfix_str(self, detail: str) -> None:
        """Say what is being done."""
        self._detail = detail

    def look(self) -> None:
        """Write a line when one is due."""
        with self._lock:
            now = self._clock()
            if self._begun is not None and now - self._last < APART:
                return
            underway = self._notes.amount() if self._notes else None
            if self._begun is None and (underway is not None or self._finished > self._initial):
                self._begun = now
            done = self._finished + (underway or 0)
            self._marks.append((now, done))
            news = math.floor(done) > math.floor(self._told)
            news |= not self._estimated and self._left(done, now) is not None
            silent = now - self._last
            if self._first:
                if not self._estimated and self._left(done, now) is not None:
                    self._say(done, now)
            elif silent >= SILENCE or (news and silent >= APART):
                self._say(done, now)

    def _watch(self) -> None:
        while not self._end.wait(_TICK):
            self.look()

    def _left(self, done: float, now: float) -> float | None:
        """Return about how many seconds it will still take; None when there is no telling."""
        if self._total is None or self._begun is None or now <= self._begun:
            return None
        if done <= self._initial or done >= self._total:
            return None
        pace = (now - self._begun) / (done - self._initial)
        # What takes longest is often finished last, which the mean of all does not show.
        since = bisect.bisect(self._marks, (now - (now - self._begun) / 4, math.inf)) - 1
        if since >= 0 and done - (before := self._marks[since])[1] >= 1:
            pace = max(pace, (now - before[0]) / (done - before[1]))
        elif self._notes is None and (wait := now - self._latest) > self._longest:
            pace = max(pace, wait)  # what is under way takes longer than any before it
        return pace * (self._total - done)

    def _say(self, done: float, now: float) -> None:
        left = self._left(done, now)
        self._told, self._last = done, now
        self._estimated |= left is not None
        of = "" if self._total is None else f" of {_number(self._total)}"
        detail = f" ({self._detail})" if self._detail else ""
        rest = "" if left is None else f", about {duration(left)} left"
        line = f"coral: {self._what}: {_number(done)}{of} {self._units}{detail}"
        line += f" after {duration(now - self._start)}{rest}"
        with contextlib.suppress(OSError, ValueError):
            if self._first:
                tqdm.write(line, file=self._file)
            else:
                print(line, file=self._file, flush=True)


class Notes:
    """How far those are who work on units: a file each, which they write and the stage reads.

    Files, since they may be other processes, or on machines that have only a folder in common.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, name: object) -> Path:
        """Return the note of one of them; `name` tells it from the others."""
        return self._folder / str(name).replace("/", "-")

    def drop(self, name: object) -> None:
        """Forget a note, whose work has been handed in."""
        with contextlib.suppress(OSError):
            self.of(name).unlink(missing_ok=True)

    def amount(self) -> float | None:
        """Return how many units' worth is done and not handed in; None when nobody has begun."""
        amounts = []
        with contextlib.suppress(OSError):
            for note in self._folder.iterdir():
                with contextlib.suppress(OSError, ValueError):  # just being written, or dropped
                    amounts.append(float(note.read_text()))
        return sum(amounts) if amounts else None


class Growth:
    """How much a folder grows, in GB."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before = self._size()

    def amount(self) -> float:
        """Return by how much it has grown."""
        return max(0.0, self._size() - self._before)

    def _size(self) -> float:
        size = 0
        for folder, _, files in os.walk(self._folder):
            for file in files:
                with contextlib.suppress(OSError):  # files are renamed meanwhile
                    size += 512 * Path(folder, file).lstat().st_blocks
        return size / 1e9


@contextlib.contextmanager
def noted(place: Path) -> Iterator[Notes]:
    """Give a folder for notes in `place`, which all who work see; it goes afterwards."""
    folder = place / ".no-notes"
    with contextlib.suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=place, prefix=".unfinished-notes-"))
    try:
        yield Notes(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def note(file: Path, amount: float) -> None:
    """Write a note: how many units' worth is done and not handed in."""
    with contextlib.suppress(OSError):
        file.write_text(f"{amount:.4f}")


def say_plan(what: str, plan: str, reused: int) -> None:
    """Say on stderr what is going to be done, and how many results the store has already."""
    print(f"coral: {what}: {plan}; {reused} from the store", file=sys.stderr, flush=True)


def say_reuse(what: str, saved: Sequence[float], spent: Sequence[float]) -> None:
    """Say on stderr how many results came from the store, and what making them had taken.

    Args:
        what: what the results are, in the plural.
        saved: the seconds that each result from the store had taken when it was made.
        spent: the seconds that each other result took now.
    """
    print(
        f"coral: {what}: {len(saved)} of {len(saved) + len(spent)} from the store, which had taken "
        f"{sum(saved):.1f} s; {len(spent)} made now in {sum(spent):.1f} s",
        file=sys.stderr,
        flush=True,
    )


def duration(seconds: float) -> str:
    """Write seconds as people say them: ``3.4 s``, ``42 s``, ``6 min 12 s``, ``2 h 5 min``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _number(value: float) -> str:
    """Write a number of units, with the tenths of those that are being worked on."""
    return f"{math.floor(10 * value + 1e-6) / 10:,.1f}".removesuffix(".0")
