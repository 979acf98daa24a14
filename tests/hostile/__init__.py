"""Programs that try to fake a verdict, to escape or to starve the machine, with honest verdicts.

Every program is asked for ``answer(n)``. Unless it brings cases of its own, the cases are
``answer(1) == 2`` and ``answer(21) == 42``, so ``2 * n`` is what an honest program returns.
Single statements are rows of a table (see `statements`), longer programs are text (see `attacks`).
"""

from __future__ import annotations

import ast
import contextlib
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

DOUBLE = (((1,), 2), ((21,), 42))
CANARY = "the canary's secret"

LIBC = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def refused(call, *arguments):
    if getattr(libc, call)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), "refused")
"""
"""Calls a function of the C library; if it fails, that is an exception."""

WRITING = """
import os, select, stat
def channel():
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                return number
        except OSError:
            pass
def frame(text):
    return len(text).to_bytes(4, "little") + text
"""
"""Finds the result channel, the one open socket, and makes what is written to it."""


@dataclass(frozen=True)
class Hostile:
    """A program and the verdicts that it must get.

    Attributes:
        name: what it tries.
        kinds: the verdict of each case; alternatives are separated by ``|``.
        code: its source.
        cases: pairs of arguments and expected result.
        detail: a part of the first case's detail.
    """

    name: str
    kinds: tuple[str, ...]
    code: str
    cases: tuple[tuple[tuple[Any, ...], Any], ...] = DOUBLE
    detail: str = ""


@contextlib.contextmanager
def watched(folder: Path, inside: Path) -> Iterator[str]:
    """Give what a program could reach, as statements; fail if some of it was reached.

    Args:
        folder: gets a file that the jail does not show.
        inside: gets a Unix socket; the jail may show it.
    """
    canary = folder / "canary"
    canary.write_text(CANARY)
    canary.chmod(0o666)
    sleeper = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams,
        subprocess.Popen(sleeper) as sibling,
    ):
        with contextlib.chdir(inside):  # a path of few characters, as sockets have it
            datagrams.bind("socket")
        server.setblocking(False)
        datagrams.setblocking(False)
        yield (
            f"CANARY = {str(canary)!r}\nPORT = {server.getsockname()[1]}\nPID = {sibling.pid}\n"
            f"SOCKET = os.path.relpath({str(inside / 'socket')!r})\n"
        )
        assert canary.read_text() == CANARY
        assert sibling.poll() is None
        for reached in (server.accept, lambda: datagrams.recv(9)):
            with pytest.raises(BlockingIOError):
                reached()
        sibling.kill()


def hostile(name: str, kinds: str, code: str, *cases: Any, detail: str = "") -> Hostile:
    """Write an entry shortly: `kinds` separated by spaces, one kind for all cases if only one."""
    cases = cases or DOUBLE
    listed = tuple(kinds.split())
    return Hostile(name, listed * (len(cases) // len(listed)), code.lstrip("\n"), cases, detail)


def statements(
    frame: str, *rows: tuple[str, ...], cases: tuple[Any, ...] = DOUBLE
) -> list[Hostile]:
    """Read entries: name, kinds, a statement that stands in the frame at ``{}``, maybe a detail."""
    return [
        hostile(name, kinds, frame.replace("{}", statement) + "\n", *cases, detail="".join(detail))
        for name, kinds, statement, *detail in rows
    ]


def attacks(text: str, frame: str = "{}", cases: tuple[Any, ...] = DOUBLE) -> list[Hostile]:
    """Read entries, each a line ``#: NAME -> KINDS`` with a program below it.

    ``-> DETAIL`` may follow the kinds, and a line ``#= (ARGUMENTS, RESULT)`` gives a case.

    Args:
        text: the entries.
        frame: what every program stands in, at ``{}``.
        cases: those of a program that brings none.
    """
    found = []
    for part in text.split("#: ")[1:]:
        first, _, code = part.partition("\n")
        name, kinds, *detail = first.split(" -> ")
        own = tuple(map(ast.literal_eval, re.findall("^#= (.*)$", code, re.MULTILINE)))
        code = re.sub("^#= .*\n", "", code, flags=re.MULTILINE)
        code = frame.replace("{}", code.rstrip("\n")) + "\n"
        found.append(hostile(name, kinds, code, *(own or cases), detail="".join(detail)))
    return found
