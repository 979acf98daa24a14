"""The process of the program under test: load it, call its function, send the results.

It knows the program and the arguments, never the expected results. Whatever the program does to
this process (patching builtins, replacing these functions, writing to the channel) only changes
what is sent. The judge reads that as data and compares it outside.

Limits and filters are in force before `main` is called; the judge measures time.
"""

from __future__ import annotations

import marshal
import sys
from _json import encode_basestring_ascii as _quote
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import thread_time_ns  # under RLIMIT_CPU the process clock only moves in ticks
from typing import Any

from . import encoding, syntax
from .channel import receive, send

_MESSAGE = 4000  # maximum characters of an exception's message, which tests may check
_LOOKED_AT = 32  # time one round in 32: reading the clock takes longer than most calls
_NONE: dict[str, Any] = {}


def main(channel: int) -> None:
    """Load the program in the first frame and answer its calls.

    The frame is ``(name, code, support, calls, interactive)``. `calls` are marshalled argument
    tuples. If `interactive`, each further frame is a document of positional and keyword arguments,
    and the answer also holds the arguments after the call.

    Args:
        channel: descriptor of the socket to the judge.
    """
    name, code, support, calls, interactive = marshal.loads(receive(channel) or b"")
    sys.modules["random"].seed(0)
    if support:
        add_modules(support)
    answer, function = load(name, code)
    send(channel, answer)
    if function is None:
        return
    for arguments in calls:
        send(channel, call(function, marshal.loads(arguments)))
    if interactive:
        import json  # noqa: PLC0415 (only needed for problems with a test file)

        while (frame := receive(channel)) is not None:
            (arguments, keywords), known = encoding.decode(json.loads(frame))
            send(channel, call(function, arguments, known, keywords))


def repeat(channel: int) -> None:
    """Run a program's passed cases many times, to measure their time.

    The first frame is ``(name, code, support, calls, rounds)``. Each round reloads the module, so
    that no state survives it. Sends each case's nanoseconds in the timed rounds. Sends no results:
    another process has been judged on them.
    """
    name, code, support, calls, rounds = marshal.loads(receive(channel) or b"")
    if support:
        add_modules(support)
    compiled = compile(code, f"{name}.py", "exec", dont_inherit=True)
    spent = [0] * len(calls)
    for number in range(rounds):
        module = sys.modules[name] = type(sys)(name)
        exec(compiled, module.__dict__)
        function = module.__dict__[name]
        if number % _LOOKED_AT:
            for call in calls:
                _run_whole(function, call)
            continue
        for case, call in enumerate(calls):
            start = thread_time_ns()
            _run_whole(function, call)
            spent[case] += thread_time_ns() - start
    send(channel, f"[{','.join(map(str, spent))}]")


def _run_whole(function: Callable[..., Any], call: bytes) -> None:
    result = function(*marshal.loads(call))
    if hasattr(result, "__next__"):
        deque(result, maxlen=0)  # run the generator


def add_modules(support: dict[str, str]) -> None:
    """Make the support modules importable and their classes serialisable."""
    for name, source in support.items():
        module = sys.modules[name] = type(sys)(name)
        exec(compile(source, f"{name}.py", "exec", dont_inherit=True), module.__dict__)
    encoding.support_modules.update(support)


def describe(error: BaseException) -> str:
    """Return type, nearest built-in type and message, as ``Own (ValueError): not a number``.

    Both are shortened. The message is left out if formatting it fails.
    """
    kind = type(error).__name__[:_MESSAGE]
    bases = [one.__name__ for one in type(error).__mro__ if one.__module__ == "builtins"]
    if bases[0] != kind:
        kind += f" ({bases[0]})"
    try:
        message = str.__str__(str(error))[:_MESSAGE]
    except BaseException:
        message = ""
    return f"{kind}: {message}" if message else kind


def load(name: str, code: str) -> tuple[str, Callable[..., Any] | None]:
    """Run the module; return the answer and the function."""
    start = thread_time_ns()
    function = None
    try:
        syntax.parse(code)
        compiled = compile(code, f"{name}.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, OverflowError, MemoryError) as error:
        return f'["unparseable",{_quote(describe(error))}]', None
    module = sys.modules[name] = type(sys)(name)
    try:
        exec(compiled, module.__dict__)
        function = module.__dict__.get(name)
        if not callable(function):
            return f'["unparseable",{_quote("no function named " + name)}]', None
        answer = f'["loaded",{thread_time_ns() - start}]'
    except MemoryError:
        answer = f'["memory",{thread_time_ns() - start}]'
    except BaseException as error:
        answer = f'["error",{thread_time_ns() - start},{_quote(describe(error))}]'
    return answer, function


def call(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    known: Sequence[Any] = (),
    keywords: Mapping[str, Any] = _NONE,
) -> str:
    """Call the function and return the answer."""
    start = thread_time_ns()
    try:
        text, _ = encoding.encode(function(*arguments, **keywords), known)
        return f'["value",{thread_time_ns() - start},{text}]'
    except encoding.TooLarge:
        return f'["large",{thread_time_ns() - start}]'
    except MemoryError:
        return f'["memory",{thread_time_ns() - start}]'
    except BaseException as error:
        return f'["error",{thread_time_ns() - start},{_quote(describe(error))}]'
