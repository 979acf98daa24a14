"""Repair functions of one's own files, tests being the filter: `coral repair`, and from Python.

``repair`` tries one function and ``repair_folder`` all that fail; ``write`` of what they return
replaces the file. Only the function's lines change. Tests and candidates run in the jail and
nowhere else.
"""

from coral_batch.repair.folders import Untried, repair_folder
from coral_batch.repair.repairing import Draw, Repair, repair
from coral_batch.repair.tests import Failure

__all__ = ["Draw", "Failure", "Repair", "Untried", "repair", "repair_folder"]
