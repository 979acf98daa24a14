"""The process that calls a program and sends all that can be seen of each call.

That is what came back, the arguments as the call left them, and what was printed so far. Whether
that is as it should be is for the judge to find out, who has watched another program as well.

A program that is `guarded` may not run what does not stand in it: the process ends, with the status
`RAN_TEXT`, where code is made of a text or of other code, or is run by itself. Import is let
through, and what the standard library writes for named tuples, data classes and type hints.

What it does not do: see what goes past `sys.stdout`, or what a class of the program holds.
"""

from __future__ import annotations

import collections
import io
import marshal
import os
import sys
import typing
from collections.abc import Callable
from typing import Any

from .channel import receive, send
from .program import call, load

RAN_TEXT = 79
"""Exit status of a process whose program ran text."""

_IMPORT = frozenset({"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>"})


def main(channel: int) -> None:
    """Load the program that the first frame brings and answer its calls.

    The frame is ``(name, code, calls, guarded)``, the first three as for a program otherwise; the
    value that an answer holds is the list of the result, the arguments and the text printed.
    """
    name, code, calls, guarded = marshal.loads(receive(channel) or b"")
    printed = sys.stdout = io.StringIO()
    if guarded:
        sys.addaudithook(_guard())
    answer, function = load(name, code)
    send(channel, answer)
    if function is None:
        return

    def watched(*arguments: Any) -> list[Any]:
        return [function(*arguments), arguments, printed.getvalue()]

    for one in calls:
        send(channel, call(watched, marshal.loads(one)))


def _guard() -> Callable[[str, tuple[Any, ...]], None]:
    """Return an audit hook (PEP 578): no program can remove one, nor catch the end of its process.

    All that it needs is at hand before the program is loaded, which may replace any function.
    """
    library = str(typing.__file__).removesuffix("typing.py")
    loading = {load.__code__.co_filename, *_IMPORT}
    writing = {str(collections.__file__), f"{library}dataclasses.py"}
    # Event -> the files whose functions may raise it. `ast` makes trees, not code; `typing` code of
    # hints in quotes, which it does not run by itself.
    lawful: dict[str, set[str]] = {
        "compile": {*loading, *writing, f"{library}ast.py", f"{library}typing.py"},
        "exec": {*loading, *writing},
        "code.__new__": set(),
        "function.__new__": set(),
    }
    caller, leave = sys._getframe, os._exit

    def hook(event: str, _: tuple[Any, ...]) -> None:
        files = lawful.get(event)
        if files is not None and caller(1).f_code.co_filename not in files:
            leave(RAN_TEXT)

    return hook
