"""Verdicts on programs that nobody has read: run in a jail, compared outside of it.

The only part of the project that starts processes for untrusted code. See docs/jail.md.
"""

from coral_batch.records.verdict import Kind, Program, Verdict
from coral_batch.verdicts.containment import Isolation
from coral_batch.verdicts.layers import LAYERS, isolation
from coral_batch.verdicts.pool import judge, layers_in_force

__all__ = [
    "LAYERS",
    "Isolation",
    "Kind",
    "Program",
    "Verdict",
    "isolation",
    "judge",
    "layers_in_force",
]
