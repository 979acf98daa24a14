"""Repair functions of one's own files, tests being the filter: `coral repair`, and from Python.

``repair`` tries one function and ``repair_folder`` all that fail; ``write`` of what they return
replaces the file. Only the function's lines change. Tests and candidates run in the jail and
nowhere else.
"""

import sys
from types import ModuleType
from typing import Any

from coral_batch.repair.folders import Untried, repair_folder
from coral_batch.repair.repairing import Draw, Repair, repair
from coral_batch.repair.tests import Failure

__all__ = ["Draw", "Failure", "Repair", "Untried", "repair", "repair_folder"]


class _Callable(ModuleType):
    """This package, which can be called: ``from coral_batch import repair`` is enough for most."""

    def __call__(self, *arguments: Any, **options: Any) -> Repair:
        """Repair a function; see `repair`."""
        return repair(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
