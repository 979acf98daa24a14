"""The stages of dvc.yaml, one per file; `coral_batch.commands.cli` makes them commands.

`stages/NAME.py` of stage NAME has

- `make(tables, settings, part)`, which returns the stage's tables (`coral_batch.lake.stage`);
  `part` is None for a stage without parts;
- NAME, the command: it calls `run(make, part)` and prints a summary;
- `TABLES`, the names in `coral_batch.lake.places` of what `make` returns for the stage's own part.
"""
