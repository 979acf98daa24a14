"""The views of injected bugs, from rows to text; nothing is read or printed here.

Programs pass through `coral_batch.work.text.escape`: a corpus may hold anything.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from coral_batch.records.bug import Bug
from coral_batch.report.views import diff_text, difference
from coral_batch.work.text import BOLD, paint, table

_WIDTH = 60  # characters of a line of kinds


def overview_text(bugs: Sequence[Bug]) -> str:
    """Return a table of the programs with the number and the kinds of their bugs, and of kinds.

    Args:
        bugs: the bugs, a program's side by side.
    """
    rows: list[Sequence[str]] = []
    for problem, group in groupby(bugs, key=lambda bug: bug.problem):
        own = list(group)
        failed = sum(bug.failed for bug in own) / len(own)
        first, *more = textwrap.wrap(_counts(own), _WIDTH)
        rows.append((problem, str(len(own)), f"{failed:.2f}", first))
        rows += [("", "", "", line) for line in more]
    programs = table(("problem", "bugs", "failed", "kinds"), rows, left={"problem", "kinds"})
    counted = Counter(bug.kind for bug in bugs)
    kinds = table(
        ("kind", "bugs"),
        [(kind, str(count)) for kind, count in counted.most_common()],
        left={"kind"},
    )
    count = len({bug.problem for bug in bugs})
    return f"{len(bugs)} bugs of {count} programs\n\n{programs}\n\n{kinds}"


def bugs_text(bugs: Sequence[Bug], colour: bool) -> str:
    """Return each bug as a diff against its reference, with its kind and what its cases say."""
    return "\n\n".join(_bug(bug, colour) for bug in bugs)


def _bug(bug: Bug, colour: bool) -> str:
    heading = f"--- {bug.id}, {bug.kind}, line {bug.line} ---"
    count = len(bug.outcomes)
    failed = count - bug.outcomes.count("P")
    about = f"  {bug.outcomes}: {failed} of {count} cases fail"
    diff = difference(bug.reference, bug.buggy, ("reference", bug.id))
    return "\n".join((paint(heading, BOLD, colour), about, diff_text(diff, colour)))


def _counts(bugs: Sequence[Bug]) -> str:
    """Return the kinds of bugs, with how many where there are several."""
    kinds = Counter(bug.kind for bug in bugs)
    return ", ".join(kind if count == 1 else f"{kind} {count}" for kind, count in kinds.items())
