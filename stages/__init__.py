"""The stages of dvc.yaml, one command a file; `coral_batch.commands.cli` makes them commands."""
