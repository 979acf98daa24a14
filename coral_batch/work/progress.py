"""Progress on stderr: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from tqdm import tqdm

_QUIET = 10.0
"""Seconds of work before the first line, and between two lines."""

# tqdm's default lock is a semaphore shared by processes. A killed process leaks it, and Python's
# resource tracker warns about that on the terminal. Only one process draws bars here.
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
    """Return a tqdm bar on stderr; one that prints lines if stderr is no terminal.

    Worker processes show nothing. Without a terminal, parts of a unit are not shown.

    Args:
        iterable: the units, each yielded when it is finished; None to call `update`.
        what: the work, such as ``training``.
        total: number of units; None if unknown.
        units: name of the units, in the plural.
        initial: number of units that were finished earlier.
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
    """A bar that prints lines, at most one in `_QUIET` seconds."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Take the arguments of tqdm."""
        form = "coral: {desc}: {n_fmt} of {total_fmt}{unit} after {elapsed}, {remaining} left"
        options |= {"bar_format": form, "delay": _QUIET, "mininterval": _QUIET, "miniters": 1}
        super().__init__(*arguments, **options)

    def display(self, *_: object, **__: object) -> None:
        """Print a line; ignore a log that cannot be written."""
        with contextlib.suppress(OSError, ValueError):
            print(self, file=self.fp, flush=True)

    def close(self) -> None:
        """Print the final state if the last line is older."""
        if not self.disable:
            if self.n > self.last_print_n and self.format_dict["elapsed"] >= _QUIET:
                self.display()
            self.sp = None  # tqdm must not redraw a bar
        super().close()


def say(what: str) -> None:
    """Write a line to stderr."""
    print(f"coral: {what}", file=sys.stderr, flush=True)


def say_reuse(what: str, saved: Sequence[float], spent: Sequence[float]) -> None:
    """Say how much time the store saved, unless all of it is quick work.

    Args:
        what: the results, in the plural.
        saved: seconds that each result from the store took when it was made.
        spent: seconds that each new result took.
    """
    if sum(saved) + sum(spent) >= _QUIET:
        say(
            f"{what}: {len(saved)} of {len(saved) + len(spent)} from the store, saving "
            f"{sum(saved):.1f} s; {len(spent)} made now in {sum(spent):.1f} s"
        )
