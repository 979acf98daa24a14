"""The process of a problem's test file, in its own jail, separate from the program.

The test file imports a stand-in for the function under test. Its calls are sent as documents, run
in the program's process and come back as documents. Objects keep their identity: a node that the
test made and the function returned is the same node, and changes to arguments are applied here. So
asserts and expected values never share a process with the program.

pytest's fixtures, parametrisation and plugins are not supported. `pytest` is a module with `raises`
and `approx` (`inside/expectations.py`) and the two switches that QuixBugs' files use.
"""

from __future__ import annotations

import json
import marshal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from . import encoding
from .channel import receive, send
from .expectations import Approx, Stopped, raises
from .program import add_modules, describe

# Code flags of generators, coroutines and async generators (inspect.CO_*): a call runs nothing.
_LATER = 0x20 | 0x80 | 0x200


def main(channel: int) -> None:
    """Run tests of the file in the first frame.

    The frame is ``(name, tests, support, names)``, with the names of the functions to run, in
    order. Sends ``["end", kind, detail]`` for each. Sends ``["broken", description]`` if the file
    does not run, or a name is not a function that a call runs.
    """
    name, tests, support, names = marshal.loads(receive(channel) or b"")
    sys.modules["random"].seed(0)
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
            send(channel, json.dumps(["broken", f"{one} is not a function after the import"]))
            return
        if getattr(getattr(test, "__code__", None), "co_flags", 0) & _LATER:
            send(channel, json.dumps(["broken", f"{one} is a generator or coroutine function"]))
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
        if isinstance(error.__cause__, Stopped):  # the function's own exception, made catchable
            return error.__cause__.args[0], error.__cause__.args[1]
        if isinstance(error, AssertionError):
            # Shortened, since it may contain the returned value.
            reason = describe(error).partition(": ")[2]
            return "FAIL", f"{reason}; returned {stand_in.returned}".removeprefix("; ")
        return "FAIL", f"{describe(error)} in the test; returned {stand_in.returned}"
    return stand_in.stopped or ("PASS", "")


class _StandIn:
    """Callable in place of the function under test.

    Attributes:
        returned: the last call's result as text.
        stopped: the verdict of a test that was stopped, even if it caught the exception.
    """

    def __init__(self, channel: int) -> None:
        self._channel = channel
        self.returned = ""
        self.stopped: tuple[str, str] | None = None

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        text, known = encoding.encode((arguments, keywords))
        send(self._channel, f'["call",{text}]')
        kind, answer = json.loads(receive(self._channel) or b"")
        if kind == "ERROR":  # the test may expect it
            raise Stopped(kind, answer)
        if kind != "value":
            self.stop(kind, answer)
        document, self.returned = answer
        try:
            return encoding.decode(document, known)[0]
        except ValueError as error:
            self.stop("FAIL", f"returned an invalid value: {error}")

    def stop(self, kind: str, detail: str) -> NoReturn:
        """End the test with a verdict, by an exception that tests do not catch.

        Raises:
            Stopped: always.
        """
        self.stopped = kind, detail
        raise Stopped(kind, detail)


def _add_test_modules(name: str, stand_in: _StandIn) -> None:
    """Create the modules that a test file in QuixBugs' layout imports."""
    packages = ("python_programs", "correct_python_programs")
    for package in packages:
        sys.modules[package] = type(sys)(package)
    for module_name in (name, *(f"{package}.{name}" for package in packages)):
        module = sys.modules[module_name] = type(sys)(module_name)
        setattr(module, name, stand_in)
    pytest = sys.modules["pytest"] = type(sys)("pytest")
    pytest.__dict__.update(use_correct=False, run_slow=False, raises=raises, approx=Approx)
