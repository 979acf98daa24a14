"""Plain text: aligned tables, colours, curves and untrusted text for terminals, and CSV files.

All model output goes through `escape` or `inline` before it is shown: raw, it could move the
cursor, recolour or retitle the terminal, or show code in a different order than it runs.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import astuple
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coral_batch.evidence.paired import Estimate

RED, GREEN, CYAN, BOLD = 31, 32, 36, 1

# Control, format (bidirectional overrides, zero-width characters), surrogates, line separators.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_BARS = "▁▂▃▄▅▆▇█"


def escape(text: str) -> str:
    """Replace characters that a terminal may act on by ``<U+001B>``; keep newline and tab."""
    return "".join(_shown(character) for character in text)


def inline(text: str, limit: int = 400) -> str:
    """Return `text` escaped, on one line, cut to `limit` characters."""
    cut = text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"
    return escape(cut.replace("\n", "\\n").replace("\t", "\\t"))


def indent(text: str, prefix: str) -> str:
    """Put `prefix` before every line; only newlines separate lines."""
    return "\n".join(prefix + line for line in text.split("\n"))


def paint(text: str, code: int, colour: bool) -> str:
    """Wrap `text` in the ANSI sequence of `code` if `colour`."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[str] = ()) -> str:
    """Align columns, to the right except for those named in `left`.

    Args:
        header: the columns' names.
        rows: one cell per column; a row without cells becomes a line.
        left: names of left-aligned columns.
    """
    cells = [header, *(row for row in rows if row)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    lines = []
    for row in [header, (), *rows]:
        if not row:
            lines.append(rule)
            continue
        aligned = (
            cell.ljust(width) if name in left else cell.rjust(width)
            for cell, width, name in zip(row, widths, header, strict=True)
        )
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)


def decimal(value: float, places: int, *, signed: bool = False) -> str:
    """Format a number with `places` decimals, halves away from zero, zero without a minus sign."""
    # Decimals after the ninth are errors of the computation.
    number = Decimal(repr(round(float(value), 9)))
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{rounded:{'+' if signed else ''}z.{places}f}"


def interval(estimate: Estimate, *, signed: bool = False) -> str:
    """Write a share in percent, ``41 % [12, 70]``, or a difference in points, ``+5 [-2, +12]``."""
    value, low, high = (decimal(100 * one, 0, signed=signed) for one in astuple(estimate))
    return f"{value}{'' if signed else ' %'} [{low}, {high}]"


def sparkline(values: Sequence[float]) -> str:
    """Draw `values` as at most 60 bars, averaging neighbours."""
    count = min(60, len(values))
    edges = [len(values) * index // count for index in range(count + 1)] if count else [0]
    means = [sum(values[start:end]) / (end - start) for start, end in pairwise(edges)]
    low, high = min(means, default=0.0), max(means, default=0.0)
    step = (high - low) / (len(_BARS) - 1)
    return "".join(_BARS[round((mean - low) / step) if step else 0] for mean in means)


def to_csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a CSV file's text: header and rows, with Unix line ends."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _UNSAFE:
        return character
    return f"<U+{ord(character):04X}>"
