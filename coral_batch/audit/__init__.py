"""`coral audit`: recompute the lake's tables and report mismatches.

Tables that follow from others are recomputed by the stages' own functions and compared with the
lake. Files that were trained, drawn, run or linted are compared with their hashes in dvc.lock. The
audit cannot detect bugs in the stages' formulas. It changes nothing and runs no code of a model,
except the repair that `--rerun` names, in the jail.
"""
