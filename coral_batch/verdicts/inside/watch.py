"""The process that calls a program and sends all that can be seen of each call.

That is what came back and the arguments as the call left them, and then what was printed. Whether
that is as it should be is for the judge to find out, who has watched another program as well.

A program that is `guarded` may not run what does not stand in it: the process ends, with the status
`RAN_TEXT`, where code is made of a text or of other code, or is run by itself. Import is let
through for what stands in the standard library's files, and what the library writes for named
tuples, data classes and type hints.

What it does not do: see what goes past `sys.stdout`, or what a class of the program holds; or stop
a program that has got hold of the interpreter's own objects, such as this module's, or of the
library's functions that write code. `coral_batch/linteval/scores/refusals.py` is to keep it there.
"""

from __future__ import annotations

import collections
import io
import marshal
import os
import sys
import typing
from collections.abc import Callable, Mapping
from typing import Any

from .channel import receive, send
from .program import call, load

RAN_TEXT = 79
"""Exit status of a process whose program ran text."""

_IMPORT = frozenset({"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>"})
_MEMORY = frozenset({"ctypes", "_ctypes"})


def main(channel: int) -> None:
    """Load the program that the first frame brings and answer its calls.

    The frame is ``(name, code, calls, guarded)``, the first three as for a program otherwise. Each
    call has two answers: the list of the result and the arguments, and the text printed since the
    answer before, which an iterator goes on with while it is listed.
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
        return [function(*arguments), arguments]

    def output() -> str:
        text = printed.getvalue()
        printed.seek(0)
        printed.truncate()
        return text

    for one in calls:
        send(channel, call(watched, marshal.loads(one)))
        send(channel, call(output, ()))


def _guard() -> Callable[[str, tuple[Any, ...]], None]:
    """Return an audit hook (PEP 578): no program can remove one, nor catch the end of its process.

    All that it needs is at hand before the program is loaded, which may replace any function.
    """
    library = str(typing.__file__).removesuffix("typing.py")
    loading, watching = load.__code__.co_filename, main.__code__.co_filename
    writing = {str(collections.__file__), f"{library}dataclasses.py"}
    # Event -> the files whose functions may raise it. `ast` makes trees, not code; `typing` code of
    # hints in quotes, which it does not run by itself.
    lawful: dict[str, set[str]] = {
        "compile": {loading, *writing, f"{library}ast.py", f"{library}typing.py"},
        "exec": {loading, *writing},
        "marshal.loads": {watching},
        "code.__new__": set(),
        "function.__new__": set(),
        "cpython.PyInterpreterState_New": set(),  # in which no hook of this one is called
    }
    caller, leave = sys._getframe, os._exit
    kept = _kept_in(library)
    # It writes into the memory of the interpreter. What had it for the jail's filters is done.
    for name in _MEMORY & sys.modules.keys():
        del sys.modules[name]

    def hook(event: str, found: tuple[Any, ...]) -> None:
        files = lawful.get(event)
        if files is None:
            if event == "import" and found[0] in _MEMORY:
                leave(RAN_TEXT)
            return
        frame = caller(1)
        file = frame.f_code.co_filename
        if file in files:
            if event == "exec" and file == loading:
                # That was the program, which could call `load` itself.
                lawful["compile"].discard(loading)
                lawful["exec"].discard(loading)
        elif file not in _IMPORT or not kept(event, found, frame.f_locals):
            leave(RAN_TEXT)

    return hook


def _kept_in(library: str) -> Callable[[str, tuple[Any, ...], Mapping[str, Any]], bool]:
    """Return what tells whether import makes or runs code of the files below a folder.

    Any program can call import's functions with a text of its own.
    """
    begin, read, close, size, only = os.open, os.read, os.close, os.fstat, os.O_RDONLY

    def content(file: object) -> bytes | None:
        if type(file) is not str or not file.startswith(library) or ".." in file:
            return None
        descriptor = begin(file, only)
        try:
            return read(descriptor, size(descriptor).st_size)
        finally:
            close(descriptor)

    def kept(event: str, found: tuple[Any, ...], around: Mapping[str, Any]) -> bool:
        if event == "compile":
            source, file = found
            return source == content(file)
        if event == "marshal.loads":
            file = around.get("bytecode_path")
            code = content(file)
            # PEP 552: sixteen bytes stand before the code.
            return code is not None and bytes(found[0]) == code[16:]
        name = found[0].co_filename
        return bool(name.startswith(library) or name.startswith("<frozen "))

    return kept
