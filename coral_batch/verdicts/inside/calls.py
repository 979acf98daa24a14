"""Which of a project's functions each test calls.

A profile function sees every call; see sys.setprofile. Calls are reported at once, since a test may
never end.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from os.path import realpath  # by name, since tests may replace os.path.realpath
from types import CodeType, FrameType
from typing import Any

_EXAMPLE = "<doctest "
_SHOWING = re.compile("/_pytest/(assertion|_io)/|/unittest/util[.]py$|/pprint[.]py$")
"""Files of functions that explain a failed assertion, by which they call the program's."""


class Calls:
    """Reports calls of project functions: ``["call", id, file, name, distance]``.

    Attributes:
        direct: whether the test itself runs, not a fixture, a set-up or the collection.
    """

    def __init__(self, tell: Callable[..., None], folders: Sequence[str]) -> None:
        """Prepare for a session.

        Args:
            tell: sends a frame.
            folders: the project's.
        """
        self.direct = False
        self._test_files: frozenset[str] = frozenset()
        self._tell = tell
        self._folders = tuple(f"{folder}/" for folder in folders)
        self._node = ""
        self._test: tuple[CodeType | None, str] = None, ""
        self._running: FrameType | None = None
        self._from = ""
        self._called: set[tuple[str, str, int]] = set()

    def collected(self, tests: Sequence[Any]) -> None:
        """Learn which files define test functions: theirs, and those of classes they inherit from.

        Args:
            tests: the items of type `pytest.Function`.
        """
        classes = [base for test in tests if test.cls is not None for base in test.cls.__mro__]
        modules = [sys.modules.get(one.__module__) for one in classes]
        files = [*(test.path for test in tests), *(getattr(one, "__file__", "") for one in modules)]
        self._test_files = frozenset(file_of(str(file)) for file in files)

    def begin(self, test: str, item: Any) -> None:
        """Begin to note the calls of a test and its fixtures.

        Args:
            test: its id.
            item: pytest's item; decorators such as hypothesis's hide its function's code.
        """
        function = getattr(item, "function", None)  # a doctest has none
        code = getattr(inspect.unwrap(function), "__code__", None) if function else None
        self._test = code, getattr(item, "originalname", "")
        self._node, self._called = test, set()
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def end(self) -> None:
        """Stop noting."""
        sys.setprofile(None)
        threading.setprofile(None)
        # Collecting an abandoned generator runs its code: do it now, not in a later test.
        # The references of a failure are dropped here, collection follows.
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            vars(sys).pop(name, None)

    @contextlib.contextmanager
    def noting(self, node: str | None, file: str) -> Iterator[None]:
        """Note which functions are called for all tests of a node.

        Args:
            node: its id; None for a single test.
            file: the calling file; empty for any.
        """
        before = sys.getprofile(), self._node, self._from, self._called
        if node is not None:
            self._node, self._from, self._called = node, file, set()
            sys.setprofile(self._note)
        try:
            yield
        finally:
            profile, self._node, self._from, self._called = before
            sys.setprofile(profile)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "return" and frame is self._running:
            self.direct, self._running = False, None
        # The code of a module or class is no function.
        if event != "call" or not code.co_flags & inspect.CO_OPTIMIZED:
            return
        if (file := file_of(code.co_filename)).startswith(self._folders):
            caller = frame.f_back
            if self._is_test(code, file):
                if not self.direct:
                    self.direct, self._running = True, frame
                return
            by = "" if caller is None else file_of(caller.f_code.co_filename)
            # pytest or unittest shows values, or calls a fixture or set-up.
            shown = _SHOWING.search(by) is not None
            if shown or (file in self._test_files and not self.direct and self._is_foreign(by)):
                return
            outside = "<locals>" not in code.co_qualname and (
                caller is None
                or caller.f_code.co_filename != code.co_filename
                or _is_wrapper(caller.f_code)
            )
            if self._from and (caller is None or file_of(caller.f_code.co_filename) != self._from):
                return
            self._report(code, outside)

    def _is_test(self, code: CodeType, file: str) -> bool:
        """Whether code of a file is the test's function.

        The package parameterized appends to the names of tests.
        """
        known, name = self._test
        same = code.co_name == name or (
            code.co_name.startswith("test") and name.startswith(code.co_name)
        )
        return code is known or (same and file in self._test_files)

    def _is_foreign(self, file: str) -> bool:
        """Whether a caller's file is not of the project."""
        return "/site-packages/" in file or not file.startswith(self._folders)

    def note_refused(self, error: TypeError) -> None:
        """Note the project function whose parameters did not fit a call: it has no frame."""
        named = re.match(r"([\w.]+)\(\) ", str(error))
        found = {*self._named(named[1])} if named is not None else set()
        if len(found) == 1:
            (code,) = found
            codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
            before = self.direct
            self.direct = any(
                one.co_filename.startswith(_EXAMPLE) or self._is_test(one, file_of(one.co_filename))
                for one in codes
            )
            self._report(code, codes[-1].co_filename != code.co_filename)
            self.direct = before

    def _named(self, name: str) -> Iterator[CodeType]:
        """Yield the code of all project functions of a qualified name."""
        for module in [*sys.modules.values()]:
            values = getattr(module, "__dict__", {})
            # Attributes of a project's objects may do anything.
            with contextlib.suppress(Exception):
                if str(values.get("__file__")).startswith(self._folders):
                    first, *rest = name.split(".")
                    found: Any = values.get(first)
                    for part in rest:
                        found = getattr(found, part)
                    code = inspect.unwrap(found).__code__
                    if file_of(code.co_filename).startswith(self._folders):
                        yield code

    def _report(self, code: CodeType, outside: bool) -> None:
        distance = (0 if self.direct else 1) if outside else 2
        call = (file_of(code.co_filename), code.co_qualname, distance)
        if call not in self._called:
            self._called.add(call)
            self._tell("call", self._node, *call)


@cache
def file_of(name: str) -> str:
    """Return the real path of a code's file: tests may put `..` into sys.path."""
    return realpath(name) if name.startswith("/") else name


def _is_wrapper(code: CodeType) -> bool:
    """Whether code may be a decorator's wrapper: a function defined in another."""
    return "<locals>" in code.co_qualname and not code.co_name.startswith("<")
