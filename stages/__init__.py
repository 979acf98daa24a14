"""The stages of dvc.yaml, one per file; `coral_batch.commands.cli` makes them commands."""
