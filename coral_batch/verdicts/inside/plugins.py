"""pytest's installed plugins, imported once for all children of a jail."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Container, Iterator
from importlib.metadata import entry_points
from operator import attrgetter
from types import ModuleType
from typing import Any

_found: dict[str, str] = {}  # entry point -> module


def find(own: Container[str]) -> None:
    """Import the installed plugins.

    Args:
        own: the project's packages. Their plugins are imported again in each child, where a failure
            is reported; others that fail are left out.
    """
    for entry in sorted(entry_points(group="pytest11"), key=attrgetter("name")):
        module = entry.value.partition(":")[0]
        is_own = module.partition(".")[0] in own
        if module not in _found.values() and (imported(module) or is_own):
            _found[entry.name] = module


def options() -> Iterator[str]:
    """Yield the options by which plugins start no processes and draw the same random numbers."""
    if "xdist" in _found:
        yield from ("--numprocesses", "0")
    if "pytest_cov" in _found:
        yield "--no-cov"
    if "hypothesispytest" in _found:
        yield "--hypothesis-seed=0"
    if "randomly" in _found:
        yield "--randomly-seed=0"


class Installed:
    """Registers the installed plugins under the names by which a project may choose them."""

    def __init__(self, load: Callable[[str], ModuleType | None]) -> None:
        """Prepare for a session.

        Args:
            load: imports a module; None if that fails.
        """
        self._load = load

    def pytest_plugin_registered(self, plugin: object, manager: Any) -> None:
        if plugin is not self:
            return
        for name, module in _found.items():
            # The project's own are imported again: they use its modules, which are replaced.
            if not manager.has_plugin(name) and (found := self._load(module)):
                manager.register(found, name)


def imported(name: str) -> ModuleType | None:
    """Return a module, imported; None if that fails."""
    before = {*sys.modules}
    try:
        return importlib.import_module(name)
    except BaseException:
        # Its importer will report the error. Parts without their package would make another import
        # of it incomplete.
        for part in sorted({*sys.modules} - before):
            package = part.rpartition(".")[0]
            if package and package not in sys.modules:
                del sys.modules[part]
        return None
