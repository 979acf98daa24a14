"""flake8 and bandit on generated code, many sources to a process.

`programs` runs one of them over a folder of files, `pool` does so for many sources in parallel.
Nothing here runs the code it reads.
"""
