"""What pytest consists of, so that a change of it is noticed."""

from __future__ import annotations

import re
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType

_GUARDED = re.compile(r"builtins|doctest|operator|pytest|unittest\.case|(?:_pytest|pluggy)\..*")
_FREE = ("breakpoint", "input", "open", "print")  # tests may replace these; no assert needs them
_GUARDED_TYPES = (FunctionType, BuiltinFunctionType, ModuleType, type)


def pytest_itself() -> dict[tuple[str, str], object]:
    """Return the values of all names in pytest's modules and classes, and of builtins."""
    found: dict[tuple[str, str], object] = {}
    for name, module in [*sys.modules.items()]:
        if _GUARDED.fullmatch(name) is None:
            continue
        for key, value in [*vars(module).items()]:
            if isinstance(value, _GUARDED_TYPES) and key not in _FREE:
                found[name, key] = code_of(value)
            if isinstance(value, type) and value.__module__ == name:
                for part, inner in [*vars(value).items()]:
                    if isinstance(inner, _MEMBERS):
                        found[name, f"{key}.{part}"] = code_of(inner)
    return found


_MEMBERS = (FunctionType, classmethod, staticmethod, property)


def code_of(value: object) -> object:
    """Return a function's code, which can be changed in place; else the value."""
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    elif isinstance(value, property):
        value = value.fget
    return value.__code__ if isinstance(value, FunctionType) else value
