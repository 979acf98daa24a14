"""The stages of dvc.yaml, one command a file; see `coral_batch.cli` for the command line."""
