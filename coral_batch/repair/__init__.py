"""Repair functions of your own files until their tests pass: `coral repair`, or from Python.

``repair`` tries one function, ``repair_folder`` every function that fails its tests. ``write`` of a
result replaces the file; only the function's lines change. Tests and candidates run only in the
jail.
"""

from coral_batch.repair.folders import Untried, repair_folder
from coral_batch.repair.repairing import Draw, Repair, repair
from coral_batch.repair.tests import Failure

__all__ = ["Draw", "Failure", "Repair", "Untried", "repair", "repair_folder"]
