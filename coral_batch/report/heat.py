"""Where a model would change a program, line by line; nothing is read or printed here.

Programs pass through `coral_batch.work.text.escape`: a corpus may hold anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coral_batch.records.problem import Problem
from coral_batch.records.rows import FirstChangeRow
from coral_batch.work.text import GREEN, escape, paint

_WIDTH = 10  # characters of a full bar


@dataclass(frozen=True)
class HeatLine:
    """A line of a buggy program.

    Attributes:
        share: probability that the first change stands there, given that there is one.
        text: the line, escaped; of the last one, what may stand behind the program.
        right: the reference's first change stands there.
    """

    share: float
    text: str
    right: bool


def heat(problem: Problem, looks: Sequence[FirstChangeRow]) -> list[HeatLine]:
    """Return the lines of a problem's program, with the mean over some models' looks at it."""
    assert problem.buggy is not None  # what was shown
    lines = [*problem.buggy.strip("\n").split("\n"), "(behind it)"]
    count = len(looks)
    return [
        HeatLine(
            sum(look.lines[at] for look in looks if at < len(look.lines)) / count,
            escape(line),
            any(look.line == at + 1 for look in looks),
        )
        for at, line in enumerate(lines)
    ]


def heat_text(problem: Problem, look: FirstChangeRow, colour: bool) -> str:
    """Return where a model would change a program, as text."""
    rows = [f"first change, by line; probability {look.unchanged:.2f} that there is none"]
    for line in heat(problem, [look]):
        bar = "█" * round(line.share * _WIDTH)
        text = f"  {line.share:.2f} {bar:<{_WIDTH}} {'>' if line.right else ' '} {line.text}"
        rows.append(paint(text.rstrip(), GREEN, colour) if line.right else text.rstrip())
    return "\n".join(rows)
