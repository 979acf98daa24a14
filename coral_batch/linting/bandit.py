"""bandit with its default settings on one source, in this process.

The result is that of ``bandit --ignore-nosec -f json -`` on the source as UTF-8, with the tests
that bandit itself brings and no others. What bandit lists under ``errors`` is a finding too, and so
is a test of its own that raises, which bandit only logs: no finding always means that bandit read
the source and that all its tests ran. bandit's manager is used directly; it is internal to bandit,
so the version is pinned and the tests compare with the command line.

There is no time limit here; `coral_batch.linting.pool` has one.
"""

from __future__ import annotations

import functools
import io
import logging

from bandit.core import tester
from bandit.core.config import BanditConfig
from bandit.core.extension_loader import MANAGER
from bandit.core.manager import BanditManager

from coral_batch.records.finding import ERROR, UNPARSEABLE, Finding, failure, printable

# What bandit calls its standard input; it derives no module name from it.
_NAME = "<stdin>"


def bandit(source: str) -> list[Finding]:
    """Return bandit's findings on `source`, in bandit's order; ``# nosec`` silences nothing.

    Returns:
        The findings, the last of them an ERROR where a test raised; or a single UNPARSEABLE or
        ERROR finding where bandit skips the source.
    """
    try:
        data = source.encode()
    except UnicodeEncodeError:
        return [failure("bandit", ERROR, "bandit raised UnicodeEncodeError")]
    manager, raised = _manager()
    for earlier in (manager.results, manager.skipped, manager.scores, raised.tests):
        earlier.clear()
    manager._parse_file(_NAME, io.BytesIO(data), [_NAME])
    for _, reason in manager.skipped:
        code = UNPARSEABLE if reason.startswith("syntax error") else ERROR
        return [failure("bandit", code, reason)]
    found = [
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
    return found + [failure("bandit", ERROR, test) for test in raised.tests[:1]]


class _Raised(logging.Handler):
    """Keeps which of bandit's tests raised, from what bandit logs of them.

    Attributes:
        tests: a text for each, such as ``Bandit internal error running: hardcoded_tmp_directory``.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tests: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.tests.append(record.getMessage().partition(" on file ")[0])


@functools.cache
def _manager() -> tuple[BanditManager, _Raised]:
    """Assemble bandit as its command line does, from its own tests alone."""
    # It warns that its standard input has no module name, and logs what its errors list says.
    logging.getLogger("bandit").setLevel(logging.CRITICAL + 1)
    raised = _Raised()
    log = logging.getLogger(tester.__name__)
    log.setLevel(logging.ERROR)
    log.propagate = False
    log.addHandler(raised)
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
    return BanditManager(BanditConfig(), "file", profile=profile, ignore_nosec=True), raised
