"""`coral audit`: what in the lake does not follow from what it should follow from.

Tables that follow from others are made again by the functions that the stages call, and compared
with what lies in the lake. Files that were trained, drawn, run or linted are compared with their
hashes in dvc.lock. Formulas are not reimplemented: an error in one of them is for the tests to
find. Nothing is changed, and no code that a model wrote runs, except the repair that `--rerun`
names, in the jail.
"""
