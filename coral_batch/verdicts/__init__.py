"""Judge untrusted programs: run them in a jail, compare their results outside.

Only this package starts processes for untrusted code; `pool` is the entry point. See docs/jail.md.
"""
