"""What a stage says while it works: bars on a terminal and plain lines anywhere else."""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from tqdm import tqdm

_QUIET = 1.0
"""Seconds of work about which nothing is said."""
_APART = 2.0
"""Least seconds between two lines."""

# tqdm's own lock is a semaphore for several processes. One that is killed leaves it behind, and
# Python's resource tracker says so on the terminal. Here only one process draws bars.
tqdm.set_lock(threading.RLock())


def progress(
    iterable: Iterable[Any] | None,
    what: str,
    total: int | None = None,
    *,
    units: str,
    initial: int = 0,
    leave: bool = True,
) -> Any:
    """Return a tqdm bar for stderr, or on anything but a terminal one that prints lines.

    Worker processes show nothing, nor do the parts of a unit where there is no terminal.

    Args:
        iterable: what is worked on, finished one by one; None to call `update`.
        what: what is done, such as ``training``.
        total: how many units there are; None when that is not known.
        units: what the units are, in the plural.
        initial: how many of them were finished before.
        leave: False for the parts of one unit.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return (tqdm if terminal else _Lines)(
        iterable,
        desc=what,
        total=total,
        unit=f" {units}",
        initial=initial,
        leave=leave,
        disable=multiprocessing.parent_process() is not None or not (terminal or leave),
        dynamic_ncols=True,
    )


class _Lines(tqdm):
    """A bar that prints a line for each unit, or for several where they are quick."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Take what tqdm takes."""
        form = "coral: {desc}: {n_fmt} of {total_fmt}{unit} after {elapsed}, {remaining} left"
        options |= {"bar_format": form, "delay": _QUIET, "mininterval": _APART, "miniters": 1}
        super().__init__(*arguments, **options)

    def display(self, *_: object, **__: object) -> None:
        """Print a line; a log that cannot be written stops nobody."""
        with contextlib.suppress(OSError, ValueError):
            print(self, file=self.fp, flush=True)

    def close(self) -> None:
        """Print what came after the last line."""
        if not self.disable:
            if self.n > self.last_print_n and self.format_dict["elapsed"] >= _QUIET:
                self.display()
            self.sp = None  # there is no bar to be drawn a last time
        super().close()


def say(what: str) -> None:
    """Write a line to stderr."""
    print(f"coral: {what}", file=sys.stderr, flush=True)


def say_reuse(what: str, saved: Sequence[float], spent: Sequence[float]) -> None:
    """Say how many results came from the store, and what making them had taken.

    Args:
        what: what the results are, in the plural.
        saved: the seconds that each result from the store had taken when it was made.
        spent: the seconds that each other result took now.
    """
    say(
        f"{what}: {len(saved)} of {len(saved) + len(spent)} from the store, which had taken "
        f"{sum(saved):.1f} s; {len(spent)} made now in {sum(spent):.1f} s"
    )
