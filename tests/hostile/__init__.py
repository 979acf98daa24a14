"""Programs that try to fake a verdict, to escape or to starve the machine, with honest verdicts.

Every program is asked for ``answer(n)``. Unless it brings cases of its own, the cases are
``answer(1) == 2`` and ``answer(21) == 42``, so ``2 * n`` is what an honest program returns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DOUBLE = (((1,), 2), ((21,), 42))
SECRET = ((21,), 987654321123)
"""A case whose expected value no program comes upon by itself."""


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


def hostile(name: str, kinds: str, code: str, *cases: Any, detail: str = "") -> Hostile:
    """Write an entry shortly: `kinds` separated by spaces, one kind for all cases if only one."""
    cases = cases or DOUBLE
    listed = tuple(kinds.split())
    return Hostile(name, listed * (len(cases) // len(listed)), code.lstrip("\n"), cases, detail)
