"""Parse the answers of a program's process.

Every frame is fully checked first. Either it is an answer of an expected kind, in the form of
`inside/program.py` with a document as in `inside/encoding.py`, or the program wrote to the channel
itself. So a `Reply` always has a valid form.

`compare` decides whether a result is right.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from coral_batch.errors import CoralError
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Kind
from coral_batch.verdicts import compare
from coral_batch.verdicts.clock import Clock
from coral_batch.verdicts.jail import Child, JailError, Stop

LOADING = frozenset({"loaded", "unparseable", "error", "memory"})
CALL = frozenset({"value", "large", "error", "memory"})

_HEXADECIMAL = re.compile(r"-?[0-9a-f]+", re.ASCII)


class Forged(Stop):
    """The program wrote to the channel itself."""

    def __init__(self) -> None:
        super().__init__("ERROR", "wrote to the result channel")


@dataclass(frozen=True)
class Reply:
    """An answer whose form has been checked.

    Attributes:
        kind: one of `LOADING` or of `CALL`, whichever was expected.
        seconds: processor time that the process claims, >= 0; any program can lie.
        text: type and message of the exception, for ``error`` and ``unparseable``.
        document: the result, for ``value``.
    """

    kind: str
    seconds: float = 0.0
    text: str = ""
    document: list[Any] = field(default_factory=list)


def parse(frame: bytes, due: frozenset[str] = CALL) -> Reply:
    """Parse an answer.

    Args:
        frame: any bytes.
        due: the expected kinds, `LOADING` or `CALL`.

    Raises:
        ValueError, RecursionError: it is not a valid answer of these kinds.
    """
    match json.loads(frame.decode("ascii")):
        case ["loaded" | "memory" | "large" as kind, int(spent)]:
            reply = Reply(kind, _seconds(spent))
        case ["unparseable", str(text)]:
            reply = Reply("unparseable", text=text)
        case ["error", int(spent), str(text)]:
            reply = Reply("error", _seconds(spent), text)
        case ["value", int(spent), [_, *_] as document]:
            check_document(document)
            reply = Reply("value", _seconds(spent), document=document)
        case _:
            raise ValueError("no answer")
    if reply.kind not in due:
        raise ValueError("not due")
    return reply


def _seconds(nanoseconds: int) -> float:
    # `charge` handles false claims.
    return min(max(nanoseconds, 0), 1 << 63) * 1e-9


def check_document(document: list[Any]) -> None:
    """Check that a whole document has the form of `inside/encoding.py`.

    Raises:
        ValueError: it does not.
    """
    entries = len(document) - 1
    _check_cell(document[0], entries)
    for entry in document[1:]:
        match entry:
            case ["l" | "t" | "g" | "s" | "f", *cells]:
                pass
            case ["d", *cells] | ["o", str(), *cells] if len(cells) % 2 == 0:
                pass
            case _:
                raise ValueError("not an entry")
        for cell in cells:
            _check_cell(cell, entries)


def _check_cell(cell: Any, entries: int) -> None:
    match cell:
        case [number] if type(number) is int and 0 <= number < entries:
            pass
        case ["i", str(digits)] if _HEXADECIMAL.fullmatch(digits):
            pass
        case ["x", str()]:
            pass
        case list() | dict():
            raise ValueError("not a cell")


def load(child: Child, limits: Verdicts) -> None:
    """Wait until the module is loaded.

    Raises:
        Stop: loading failed; this is the verdict of every case.
    """
    try:
        answer = receive(child, Clock(limits), LOADING)
    except Stop as stop:
        raise Stop(stop.kind, stop.detail + " while loading the module") from None
    if answer.kind == "memory":
        raise Stop("MEMORY", f"MemoryError at {limits.memory_mb} MiB")
    if answer.kind != "loaded":
        raise Stop(*failure(answer))


def failure(answer: Reply) -> tuple[Kind, str]:
    """Return kind and detail for an answer without a result."""
    if answer.kind == "large":
        return "FAIL", "returned a result that is too large"
    if answer.kind == "memory":
        return "MEMORY", "MemoryError"
    return "ERROR" if answer.kind == "error" else "UNPARSEABLE", compare.shorten(answer.text)


def receive(child: Child, clock: Clock, due: frozenset[str] = CALL) -> Reply:
    """Return the answer to a call, or to loading the module.

    Args:
        child: the program's process.
        clock: the clock of the case or test.
        due: as in `parse`.

    Raises:
        Stop: there is no answer, and the process is dead.
    """
    frame = child.receive(clock)
    try:
        return parse(frame, due)
    except (ValueError, RecursionError):
        child.stop()
        raise Forged from None


def defect(error: Exception) -> tuple[Kind, str]:
    """Return kind and detail for an exception that the judge raised while judging a program.

    Such an exception becomes the program's verdict and does not end the run.

    Raises:
        CoralError: the error, if the test file caused it.
        JailError: the error, or an operating system error: the machine's fault, not the program's.
        MemoryError: the error, likewise.
    """
    if isinstance(error, CoralError | JailError | MemoryError):
        raise error
    if isinstance(error, OSError):
        raise JailError(f"the operating system failed while judging: {error}") from error
    return "ERROR", compare.shorten(f"could not be judged: {type(error).__name__}: {error}")
