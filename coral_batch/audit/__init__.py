"""`coral audit`: what in the lake does not follow from what it should follow from.

Every table is computed again from the tables it is made from, by the functions that the stages
call, and compared value by value; measured values are compared with their seals, files with
recorded hashes. `docs/audit.md` says for each column what vouches for it. Formulas are not
reimplemented: an error in one of them is for the tests to find, not for the audit. Nothing is
changed, and of what a model wrote nothing runs but what `--rerun` names, in the jail.
"""
