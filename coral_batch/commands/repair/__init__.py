"""Repair a function of one's own file, tests being the filter: `coral repair`, and from Python.

``repair`` tries, and ``write`` of what it returns replaces the file. Only the function's lines
change. Tests and candidates run in the jail and nowhere else.
"""

from coral_batch.commands.repair.checks import Failure
from coral_batch.commands.repair.repairing import Draw, Repair, repair

__all__ = ["Draw", "Failure", "Repair", "repair"]
