"""Run flake8 and bandit on generated code, many sources per process.

`programs` runs one linter on a folder of files, `pool` lints many sources in parallel. The linted
code is never run.
"""
