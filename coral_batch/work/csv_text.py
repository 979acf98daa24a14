"""CSV files as text: the one form that all plots' data have."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any


def to_csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a CSV file's text: a header and rows, each line ending in a newline alone."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()
