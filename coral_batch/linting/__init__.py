"""Findings of flake8 and bandit on generated code, many sources to a process.

`finding` says what a finding is, `flake8` and `bandit` run one linter on one source in this
process, `pool` runs them on many sources under limits. Nothing here runs the code it reads.
"""
