"""The process that runs a problem's test file: jailed like the program, but apart from it.

The test file's import of the function under test gives a stand-in whose calls leave this process
as documents, run in the program's process and come back as documents. Objects keep their identity:
a node that the test made and the function returned is the same node, and what the function did to
its arguments is done to them here. So the asserts, and what they expect, never share a process
with the program.

What it does not do: pytest's fixtures, parametrisation or plugins. `pytest` is a module with
`raises` and `approx` (`inside/expectations.py`) and the two switches that QuixBugs' files ask for.
"""

from __future__ import annotations

import json
import marshal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from . import encoding
from .channel import receive, send
from .expectations import Approx, Raises, Stopped
from .program import add_modules, describe

# The flags of code of which a call runs nothing: generators, coroutines, both (inspect.CO_*).
_LATER = 0x20 | 0x80 | 0x200


def main(channel: int) -> None:
    """Run tests of the file that the first frame brings.

    The frame is ``(name, tests, support, names)``, with the names of the functions to run in their
    order. Sends ``["end", kind, detail]`` for each, or ``["broken", description]`` when the file
    does not run, or leaves one of the names without a function that a call runs.
    """
    name, tests, support, names = marshal.loads(receive(channel) or b"")
    stand_in = _StandIn(channel)
    add_modules(support)
    _add_test_modules(name, stand_in)
    module = sys.modules[f"test_{name}"] = type(sys)(f"test_{name}")
    try:
        exec(compile(tests, f"test_{name}.py", "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        send(channel, json.dumps(["broken", describe(error)]))
        return
    found: list[Any] = [module.__dict__.get(one) for one in names]
    for one, test in zip(names, found, strict=True):
        if not callable(test):
            send(channel, json.dumps(["broken", f"{one} is no function any more"]))
            return
        if getattr(getattr(test, "__code__", None), "co_flags", 0) & _LATER:
            send(channel, json.dumps(["broken", f"{one} yields: a call runs nothing of it"]))
            return
    for test in found:
        send(channel, json.dumps(["end", *_run(test, stand_in)]))


def _run(test: Callable[[], None], stand_in: _StandIn) -> tuple[str, str]:
    stand_in.returned = "nothing yet"
    stand_in.stopped = None
    try:
        test()
    except Stopped as stopped:
        return stopped.args[0], stopped.args[1]
    except Exception as error:
        if isinstance(error.__cause__, Stopped):  # the function's own, made one that can be caught
            return error.__cause__.args[0], error.__cause__.args[1]
        if isinstance(error, AssertionError):
            # Bounded, since it may write out what was returned.
            reason = describe(error).partition(": ")[2]
            return "FAIL", f"{reason}; returned {stand_in.returned}".removeprefix("; ")
        return "FAIL", f"{describe(error)} in the test; returned {stand_in.returned}"
    return stand_in.stopped or ("PASS", "")


class _StandIn:
    """Callable in place of the function under test.

    Attributes:
        returned: what the last call returned, as text.
        stopped: the verdict of a test that was stopped, whatever it caught.
    """

    def __init__(self, channel: int) -> None:
        self._channel = channel
        self.returned = ""
        self.stopped: tuple[str, str] | None = None

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        text, known = encoding.encode((arguments, keywords))
        send(self._channel, f'["call",{text}]')
        kind, answer = json.loads(receive(self._channel) or b"")
        if kind == "ERROR":  # which the test may wait for
            raise Stopped(kind, answer)
        if kind != "value":
            self.stop(kind, answer)
        document, self.returned = answer
        try:
            return encoding.decode(document, known)[0]
        except ValueError as error:
            self.stop("FAIL", f"returned something unreadable: {error}")

    def stop(self, kind: str, detail: str) -> NoReturn:
        """End the test with a verdict, by what is not its to catch.

        Raises:
            Stopped: always.
        """
        self.stopped = kind, detail
        raise Stopped(kind, detail)


def _add_test_modules(name: str, stand_in: _StandIn) -> None:
    """Make the modules that a test file in QuixBugs' layout imports."""
    packages = ("python_programs", "correct_python_programs")
    for package in packages:
        sys.modules[package] = type(sys)(package)
    for module_name in (name, *(f"{package}.{name}" for package in packages)):
        module = sys.modules[module_name] = type(sys)(module_name)
        setattr(module, name, stand_in)
    pytest = sys.modules["pytest"] = type(sys)("pytest")
    pytest.__dict__.update(
        use_correct=False,
        run_slow=False,
        raises=Raises,
        approx=Approx,
    )
