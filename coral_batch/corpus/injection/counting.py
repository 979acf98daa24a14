"""Programs that stop after running too many lines.

A single edit often makes a loop endless. Such a program would use up the CPU limit of several
seconds. With a line limit it takes tens of milliseconds, and the verdict is the same on slow and
fast machines.

Not covered is time spent in C (``2 ** 10 ** 10``, ``list(itertools.count())``) and in imported
modules, where only the limits of the jail apply; and a process whose recursion has reached Python's
limit, which removes the trace function.
"""

from __future__ import annotations

import ast

from coral_batch.verdicts.inside import syntax
from coral_batch.verdicts.jail import EXITED
from coral_batch.verdicts.suites import HANGS as PROJECT_HANGS

HANGS = "Hangs: line limit exceeded"
"""Detail of the verdict on a stopped program: the exception's type and message."""

_STATUS = 97
_ENDED = f"{EXITED} {_STATUS} "
"""Start of the detail if the program could have caught the exception and was exited instead."""

# Counts the lines that run in the program's own functions. CPython removes a trace function that
# raises, so the next call would not be counted. Therefore `end` is also the profile function: one
# of the two is left when the other raises. See sys.settrace and sys.setprofile.
_PRELUDE = """
import sys
class Hangs(BaseException):
    pass
def run(limit, program, stop):
    left = limit
    def line(frame, event, argument):
        nonlocal left
        if event == "line":
            left -= 1
            if left < 0:
                end(frame, "call", None)
        return line
    def call(frame, event, argument):
        return line if frame.f_globals is program else None
    def end(frame, event, argument):
        if event == "call" and frame.f_globals is program:
            sys.settrace(end)
            sys.setprofile(end)
            stop()
    sys.settrace(call)
    sys._getframe(2).f_trace = line
def leave():
    import os
    os._exit({status})
def hang():
    raise Hangs({message!r})
run({lines}, program, {stop})
"""


def counted(code: str, lines: int) -> str:
    """Return a program that counts the lines it runs, and stops at the limit.

    It raises an exception at the limit, and from then on at every call. If the program could catch
    that (a bare ``except``, ``finally`` with a jump, ...), its process exits. If a program imports
    from `__future__`, lines outside of functions are not counted.

    Args:
        code: a program that parses.
        lines: how many lines may run in one process, over all its cases.
    """
    tree = syntax.parse(code)
    stop = "leave" if _catches_everything(tree) else "hang"
    message = HANGS.partition(": ")[2]
    prelude = _PRELUDE.format(lines=lines, status=_STATUS, message=message, stop=stop)
    call = f"exec({prelude!r}, {{'program': globals()}})"
    if any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body):
        return f"{code}\n{call}\n"
    return f"{call}\n{code}"


def hangs(detail: str) -> bool:
    """Whether the detail of a verdict says that a counted program ran too many lines."""
    return detail in (HANGS, PROJECT_HANGS) or detail.startswith(_ENDED)


def _catches_everything(tree: ast.Module) -> bool:
    """Whether a program may go on after an exception that is not an `Exception`."""
    for node in ast.walk(tree):
        match node:
            case ast.ExceptHandler(type=None) | ast.Name(id="BaseException"):
                return True
            case ast.FunctionDef(name="__exit__" | "__del__"):
                return True
            case ast.Try(finalbody=last) | ast.TryStar(finalbody=last) if any(map(_jumps, last)):
                return True
    return False


def _jumps(node: ast.stmt) -> bool:
    return any(isinstance(one, ast.Return | ast.Break | ast.Continue) for one in ast.walk(node))
