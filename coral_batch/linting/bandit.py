"""bandit with its default settings on one source, in this process.

The result is that of ``bandit --ignore-nosec -f json -`` on the source as UTF-8, with the tests
that bandit itself brings and no others; what bandit lists under ``errors`` is a finding too, so
that no finding always means that bandit read the source. bandit's manager is used directly; it is
internal to bandit, so the version is pinned and the tests compare with the command line.

There is no time limit here; `coral_batch.linting.pool` has one.
"""

from __future__ import annotations

import functools
import io
import logging

from bandit.core.config import BanditConfig
from bandit.core.extension_loader import MANAGER
from bandit.core.manager import BanditManager

from coral_batch.records.finding import ERROR, UNPARSEABLE, Finding, failure, printable

# What bandit calls its standard input; it derives no module name from it.
_NAME = "<stdin>"


def bandit(source: str) -> list[Finding]:
    """Return bandit's findings on `source`, in bandit's order; ``# nosec`` silences nothing.

    Returns:
        The findings, or a single UNPARSEABLE or ERROR finding where bandit skips the source.
    """
    try:
        data = source.encode()
    except UnicodeEncodeError:
        return [failure("bandit", ERROR, "bandit raised UnicodeEncodeError")]
    manager = _manager()
    for earlier in (manager.results, manager.skipped, manager.scores):
        earlier.clear()
    manager._parse_file(_NAME, io.BytesIO(data), [_NAME])
    for _, reason in manager.skipped:
        code = UNPARSEABLE if reason.startswith("syntax error") else ERROR
        return [failure("bandit", code, reason)]
    return [
        Finding(
            "bandit",
            issue.test_id,
            printable(issue.text),
            issue.lineno,
            issue.col_offset + 1,
            issue.severity,
            issue.confidence,
        )
        for issue in manager.results
    ]


@functools.cache
def _manager() -> BanditManager:
    """Assemble bandit as its command line does, from its own tests alone."""
    # It warns that its standard input has no module name, and logs what its errors list says.
    logging.getLogger("bandit").setLevel(logging.CRITICAL + 1)
    tests = {
        extension.plugin._test_id
        for extension in MANAGER.plugins
        if extension.entry_point_target.startswith("bandit.")
    }
    for extension in MANAGER.blacklists_mgr:
        if extension.entry_point_target.startswith("bandit."):
            for calls in extension.plugin().values():
                tests.update(call["id"] for call in calls)
    profile = {"include": tests, "exclude": set()}
    return BanditManager(BanditConfig(), "file", profile=profile, ignore_nosec=True)
