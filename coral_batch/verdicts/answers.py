"""What a program's process answers, or why it does not answer.

A frame is parsed before anything looks at it: it is an answer of a kind that is due, in the form
that `inside/program.py` gives it and with a document as `inside/encoding.py` describes it, or the
program wrote to the channel itself. Whoever gets a `Reply` can rely on its form.

What it does not do: say whether a result is right; that is `compare`.
"""

from __future__ import annotations

import json
import re
import signal
from dataclasses import dataclass
from typing import Any, NoReturn

from coral_batch.errors import CoralError
from coral_batch.records.verdict import Kind
from coral_batch.verdicts import compare
from coral_batch.verdicts.clock import Clock, Limits
from coral_batch.verdicts.jail import Child, Ended, Expired, Flooded, JailError

LOADING = frozenset({"loaded", "unparseable", "error", "memory"})
CALL = frozenset({"value", "large", "error", "memory"})

_FORMS: dict[str, list[type]] = {
    "loaded": [int],
    "unparseable": [str],
    "error": [int, str],
    "memory": [int],
    "large": [int],
    "value": [int, list],
}
_MARKS = frozenset("lgtsfd")
_HEXADECIMAL = re.compile(r"-?[0-9a-f]+", re.ASCII)


class Malformed(ValueError):
    """The frame is no answer that was due."""


class Stop(Exception):
    """The process can answer no more: kind and detail of the case that it was at."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind: Kind = kind
        self.detail = detail


class Unloaded(Stop):
    """The module gives no function: kind and detail of every case."""


@dataclass(frozen=True)
class Reply:
    """An answer whose form has been checked.

    Attributes:
        kind: one of `LOADING` or of `CALL`, whichever was due.
        seconds: processor time that the process says it took, >= 0; any program can lie.
        text: type and message of the exception, for ``error`` and ``unparseable``.
        document: the result, for ``value``.
    """

    kind: str
    seconds: float
    text: str
    document: list[Any]


def parse(frame: bytes, due: frozenset[str]) -> Reply:
    """Parse an answer.

    Args:
        frame: what came, anything.
        due: the kinds that may come now, `LOADING` or `CALL`.

    Raises:
        Malformed: it is none of them.
    """
    try:
        parts = _decode(frame.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise Malformed(str(error)) from None
    if type(parts) is not list or not parts or type(parts[0]) is not str or parts[0] not in due:
        raise Malformed("no answer that is due")
    kind, *rest = parts
    if [type(part) for part in rest] != _FORMS[kind]:
        raise Malformed(f"not the form of {kind}")
    # A clock that lies is `charge`'s to deal with.
    nanoseconds = min(max(rest[0], 0), 1 << 63) if _FORMS[kind][0] is int else 0
    document: list[Any] = rest[-1] if kind == "value" else []
    if kind == "value":
        check_document(document)
    text = rest[-1] if _FORMS[kind][-1] is str else ""
    return Reply(kind, nanoseconds * 1e-9, text, document)


def check_document(document: list[Any]) -> None:
    """Check that a document has the form of `inside/encoding.py`, all of it.

    Raises:
        Malformed: it has not.
    """
    if not document:
        raise Malformed("an empty document")
    entries = len(document) - 1
    _check_cell(document[0], entries)
    for entry in document[1:]:
        if type(entry) is not list or not entry or type(entry[0]) is not str:
            raise Malformed("not an entry")
        mark, first = entry[0], 1
        if mark == "o":
            first = 2
            if len(entry) < first or type(entry[1]) is not str:
                raise Malformed("an object without a class")
        elif mark not in _MARKS:
            raise Malformed("an unknown mark")
        if mark in ("d", "o") and (len(entry) - first) % 2:
            raise Malformed("a key without a value")
        for cell in entry[first:]:
            _check_cell(cell, entries)


def _check_cell(cell: Any, entries: int) -> None:
    if type(cell) is not list:  # there are no objects: see _refuse_object
        return
    if len(cell) == 1:
        if type(cell[0]) is not int or not 0 <= cell[0] < entries:
            raise Malformed("a reference to nowhere")
    elif len(cell) == 2 and type(cell[1]) is str and cell[0] in ("i", "x"):
        if cell[0] == "i" and not _HEXADECIMAL.fullmatch(cell[1]):
            raise Malformed("not an integer")
    else:
        raise Malformed("not a cell")


def _refuse_object(_: list[tuple[str, Any]]) -> NoReturn:
    raise Malformed("an object of JSON")


_decode = json.JSONDecoder(object_pairs_hook=_refuse_object).decode


def load(child: Child, limits: Limits) -> None:
    """Wait until the module is loaded.

    Raises:
        Unloaded: it was not.
    """
    clock = Clock(limits)
    try:
        answer = _receive(child, clock, LOADING)
    except Stop as stop:
        raise Unloaded(stop.kind, stop.detail + " while loading the module") from None
    if answer.kind == "unparseable":
        raise Unloaded("UNPARSEABLE", compare.shorten(answer.text))
    if answer.kind == "error":
        raise Unloaded("ERROR", compare.shorten(answer.text))
    if answer.kind == "memory":
        raise Unloaded("MEMORY", f"MemoryError at {limits.memory_mb} MiB")


def call(child: Child, clock: Clock) -> Reply:
    """Return the answer to a call.

    Args:
        child: the program's process.
        clock: what is left of the limits of the case or test.

    Raises:
        Stop: there is none, and the process is dead.
    """
    return _receive(child, clock, CALL)


def failure(answer: Reply) -> tuple[Kind, str]:
    """Return kind and detail for an answer to a call that holds no result."""
    if answer.kind == "error":
        return "ERROR", compare.shorten(answer.text)
    if answer.kind == "large":
        return "FAIL", "returned more than a result may hold"
    return "MEMORY", "MemoryError"


def _receive(child: Child, clock: Clock, due: frozenset[str]) -> Reply:
    try:
        frame = child.receive(clock)
    except Expired as expired:
        raise Stop("TIMEOUT", f"no result after {expired}") from None
    except Flooded:
        raise Stop("FAIL", "returned more than a result may hold") from None
    except Ended:
        raise ended(child, clock) from None
    try:
        return parse(frame, due)
    except Malformed:
        child.stop()
        raise Stop("ERROR", "wrote to the result channel") from None


def ended(child: Child, clock: Clock) -> Stop:
    """Tell why a process went without an answer; the clock runs on until it is dead."""
    try:
        ending = child.await_end(clock)
    except Expired as expired:
        return Stop("TIMEOUT", f"no result after {expired}")
    if not ending.signal:
        return Stop("ERROR", f"ended with status {ending.exit_status} before it gave a result")
    if ending.signal == signal.SIGKILL and ending.cpu_seconds >= child.seconds:
        return Stop("TIMEOUT", f"no result after {ending.cpu_seconds:.0f} s of processor time")
    return Stop("CRASH", f"killed by {_signal_name(ending.signal)}")


def _signal_name(number: int) -> str:
    """Return a signal's name; the real-time signals, but for the first and the last, have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def defect(error: Exception) -> tuple[Kind, str]:
    """Return kind and detail for an exception of the judge while it judged a program.

    Whatever happens while a program is judged is that program's verdict, never the end of a run.

    Raises:
        CoralError: the error, which is the test file's.
        JailError: the error, or that of the operating system, which is the machine's; others are
            not to get a verdict from it.
        MemoryError: the error, likewise.
    """
    if isinstance(error, CoralError | JailError | MemoryError):
        raise error
    if isinstance(error, OSError):
        raise JailError(f"the machine fails the judge: {error}") from error
    return "ERROR", compare.shorten(f"could not be judged: {type(error).__name__}: {error}")
