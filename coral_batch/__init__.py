"""Evolve LoRA/DoRA adapters that repair Python bugs, as a batch system on a file-based lake.

From Python, `coral_batch.repair` does what the command `coral repair` does.
"""
