"""Judging whether a program does what another one does, its twin, on given calls.

Each runs in a process of its own, called with the same arguments in the same order; a call passes
when both return the same, in the same types and with an iterator where the other has one, leave
their arguments the same, have printed the same, or raise an exception of the same type. The twin
runs twice: a call that it answers otherwise the second time, late or not at all says nothing and
passes. A program that runs text, which its twin does not, fails all calls (`inside/watch.py`).

What it does not do: look at the message of an exception, at the content of an object of a class
that is not built in, at the order of a set, or at files.
"""

from __future__ import annotations

import ast
import hashlib
import json
import marshal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from coral_batch.records.problem import Suite
from coral_batch.records.verdict import Kind, Program, Twin, Verdict
from coral_batch.verdicts import compare
from coral_batch.verdicts.answers import Reply, Stop, call, defect, failure, load
from coral_batch.verdicts.clock import Clock, Limits
from coral_batch.verdicts.inside import watch
from coral_batch.verdicts.inside.zygote import WATCH
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.testfiles import test_names

RAN_TEXT = "ran text that does not stand in it"
"""Detail of every verdict on a program that does so, of kind ERROR."""


class _RanText(Exception):
    """A program ran text, which was the end of its process."""


def names_of(program: Program) -> list[str | None]:
    """Return the name of each test: none of a JSON case, the arguments of a call to the twin."""
    own: Sequence[str | None] = [None] * len(program.cases)
    if isinstance(program.tests, Suite):
        own = program.tests.tests
    elif not program.cases:
        own = test_names(program)
    calls = () if program.twin is None else program.twin.calls
    return [*own, *(f"as the original: {compare.shorten(call)}" for call in calls)]


def judge_twin(
    jail: Jail, program: Program, twin: Twin, limits: Limits, passed: bool
) -> dict[int, Verdict]:
    """Judge every call.

    Args:
        jail: where to run both.
        program: the program.
        twin: the other one, with the calls.
        limits: for loading a module, and for each call.
        passed: whether the program passes its own cases or tests; it is not called otherwise.

    Returns:
        Number -> verdict, numbered on from those of the program's own cases or tests.

    Raises:
        JailError: the jail or the machine failed.
    """
    names = names_of(program)
    first = len(names) - len(twin.calls)
    kinds: list[tuple[Kind, str]] = [("FAIL", "not called: it fails its tests")] * len(twin.calls)
    if passed:
        try:
            kinds = _compare(jail, program, twin, limits)
        except Exception as error:  # the last guard; what is foreseen has a verdict of its own
            kinds = [defect(error)] * len(twin.calls)
    return {
        number: Verdict(number, names[number], kind, detail, 0.0, 0.0)
        for number, (kind, detail) in enumerate(kinds, start=first)
    }


_STOPS = 3  # calls that the twin does not answer, after which it is not called any more

_Seen = tuple[Reply, Reply] | Stop  # result and arguments, and what was printed
_SETS = ("s", "f")  # marks of `inside/encoding.py`


def _compare(jail: Jail, program: Program, twin: Twin, limits: Limits) -> list[tuple[Kind, str]]:
    calls = [marshal.dumps(ast.literal_eval(arguments)) for arguments in twin.calls]
    guarded = True
    try:
        wanted = _answers(jail, program.function, twin.code, calls, limits, guarded)
    except _RanText:  # so the program may do so as well
        guarded = False
        wanted = _answers(jail, program.function, twin.code, calls, limits, guarded)
    asked = [calls[number] for number in wanted]
    again = _watch(jail, program.function, twin.code, asked, limits, guarded=False)
    try:
        found = _watch(jail, program.function, program.code, asked, limits, guarded)
    except _RanText:
        return [("ERROR", RAN_TEXT)] * len(calls)
    kinds: list[tuple[Kind, str]] = [("PASS", "")] * len(calls)
    for (number, answer), *seen in zip(wanted.items(), again, found, strict=True):
        kinds[number] = _verdict(answer, *seen)
    return kinds


def _answers(
    jail: Jail, function: str, code: str, calls: list[bytes], limits: Limits, guarded: bool
) -> dict[int, _Seen]:
    """Return the twin's answers by the numbers of their calls.

    It has a fifth of the time, so that what is compared is answered well within the limits.

    Raises:
        _RanText: it is guarded, and ran text.
    """
    short = replace(limits, cpu_seconds=limits.cpu_seconds / 5)
    answers: dict[int, _Seen] = {}
    first = 0
    for _ in range(_STOPS):
        seen = _watch(jail, function, code, calls[first:], short, guarded)
        for one in seen:
            if isinstance(one, Stop):
                break
            answers[first] = one
            first += 1
        first += 1
        if first >= len(calls):
            break
    return answers


def _watch(
    jail: Jail, function: str, code: str, calls: list[bytes], limits: Limits, guarded: bool
) -> list[_Seen]:
    """Return what was seen of each call; of those not answered, what ended the process.

    Raises:
        _RanText: the program is guarded, and ran text.
    """
    seen: list[_Seen] = []
    total = limits.cpu_seconds * (len(calls) + 1)
    frame = marshal.dumps((function, code, calls, guarded))
    with jail.child(WATCH, total, frame) as child:
        child.settle()
        try:
            load(child, limits)
            for _ in calls:
                seen.append((call(child, Clock(limits)), call(child, Clock(limits))))
        except Stop as stop:
            seen += [stop] * (len(calls) - len(seen))
        if child.stop().exit_status == watch.RAN_TEXT:
            raise _RanText
    return seen


def _verdict(twin: _Seen, again: _Seen, found: _Seen) -> tuple[Kind, str]:
    wanted = _as_text(twin)
    if wanted is None or _as_text(again) != wanted or _as_text(found) == wanted:
        return "PASS", ""
    if isinstance(found, Stop):
        return found.kind, found.detail
    for answer in found:
        if answer.kind != "value":
            return failure(answer)
    result, output = (compare.show(answer.document) for answer in found)
    return "FAIL", compare.shorten(f"result, arguments: {result}, output: {output}")


def _as_text(seen: _Seen) -> str | None:
    """Return all that was seen of a call as a text; None if it was not answered."""
    if isinstance(seen, Stop):
        return None
    result, output = seen
    if result.kind == "error":
        return "raised " + result.text.partition(":")[0]
    if result.kind != "value" or output.kind != "value":
        return None
    return json.dumps([_with_sets_in_order(result.document), output.document])


def _with_sets_in_order(document: list[Any]) -> list[Any]:
    """Return a document whose sets list their items by what these hold.

    The order in which a set gives its items follows from how it was filled, and so do the numbers
    of the entries, which are given anew.
    """
    entries = document[1:]
    if not any(entry[0] in _SETS and len(entry) > 2 for entry in entries):
        return document
    texts: dict[int, str] = {}
    begun: list[tuple[int, Iterator[int]]] = []  # entries, with those inside that are still to do

    def begin(number: int) -> None:
        texts[number] = "in itself"  # until it is known: what is in a set may lead back to it
        inside = (cell[0] for cell in entries[number] if _is_reference(cell))
        begun.append((number, inside))

    def text_of(cell: Any) -> str:
        if not _is_reference(cell):
            return json.dumps(cell)
        if cell[0] not in texts:
            begin(cell[0])
        while begun:  # not by recursion: entries lie in one another as deep as they like
            number, inside = begun[-1]
            deeper = next((one for one in inside if one not in texts), None)
            if deeper is not None:
                begin(deeper)
                continue
            begun.pop()
            mark, *cells = entries[number]
            held = [texts[one[0]] if _is_reference(one) else json.dumps(one) for one in cells]
            content = json.dumps([mark, sorted(held) if mark in _SETS else held])
            texts[number] = hashlib.sha256(content.encode()).hexdigest()
        return texts[cell[0]]

    numbers: dict[int, int] = {}
    met: list[int] = []

    def numbered(cell: Any) -> Any:
        if not _is_reference(cell):
            return cell
        if cell[0] not in numbers:
            numbers[cell[0]] = len(met)
            met.append(cell[0])
        return [numbers[cell[0]]]

    written = [numbered(document[0])]
    for number in met:  # which grows with what the entries refer to
        mark, *cells = entries[number]
        ordered = sorted(cells, key=text_of) if mark in _SETS else cells
        written.append([mark, *map(numbered, ordered)])
    return written


def _is_reference(cell: Any) -> bool:
    return type(cell) is list and len(cell) == 1
