"""Verdicts on programs that nobody has read: run in a jail, compared outside of it.

The only part of the project that starts processes for untrusted code; `pool` is where programs go
in and verdicts come out. See docs/jail.md.
"""
