"""The HTML pages of the small lake, with one repair that does its worst."""

import contextlib
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl

from coral_batch import lake
from coral_batch.records.rows import SampleRow
from stages.evidence import evidence
from stages.index import index
from stages.page import page
from stages.results import results
from tests import REPOSITORY
from tests.report_lake import GENERATIONS, make_run, write_lake

PARTS = (lake.VALIDATION_BASE, *lake.EVALUATIONS.values(), *GENERATIONS)

HOSTILE = (
    "</script></style></title></pre><script>window.owned = 1</script>\n"
    "<img src=x onerror='window.owned = 1'><svg onload=\"window.owned = 1\"></svg>\n"
    "</details><style>body { display: none }</style><a href='javascript:window.owned = 1'>\n"
    "{{ 7 * 191 }} {% raw %} &lt;script&gt;\n"
    "\x00\x1b[31m\x07\x7f\x9b\u202e\u2066\u200b\u2028\ufeff\U000e0041 end"
)

_PASSES = {
    "pass@1": {"value": 0.25, "low": 0.125, "high": 0.5},
    "pass@5": {"value": 0.5, "low": 0.25, "high": 0.75},
    "pass@10": None,
}
_LINTED = {
    "items": 8,
    "functions": 6,
    "tested": 4,
    "samples": 5,
    "official": _PASSES,
    "strict": _PASSES,
    "tests_passed": 7,
    "changes": {"fixed": 9, "stayed": 8, "lost": 0, "new": 3},
}
LINTEVAL = {
    "base": {**_LINTED, "genome": "base", "outcomes": {"findings": 40}},
    "best": {**_LINTED, "genome": "001-00", "outcomes": {"clean": 30, "findings": 10}},
    "official": _PASSES,
    "strict": _PASSES,
}


def make_pages(folder: Path) -> None:
    """Write the small lake into an empty project folder, and every page of it."""
    shutil.copy(REPOSITORY / "params.yaml", folder)
    with contextlib.chdir(folder):
        make_run()
        evidence()
        # Evaluate on the problems of selection again: those of `make_run` have no programs to show.
        write_lake()
        for part in PARTS:
            _make_hostile(part)
        results()
        lake.write_document("linteval_metrics", LINTEVAL)
        for part in PARTS:
            page(part)
        index()


def _make_hostile(part: str) -> None:
    samples = lake.read_rows("samples", SampleRow, part)
    changed = [
        replace(row, code=HOSTILE) if (row.problem, row.sample) == ("sieve", 1) else row
        for row in samples
    ]
    lake.write_rows("samples", changed, part)
    for table, column in (("verdicts", "detail"), ("findings", "message")):
        hostile = pl.when(pl.col("sample") == 1).then(pl.lit(HOSTILE)).otherwise(pl.col(column))
        frame = lake.read_frame(table, part).with_columns(hostile.alias(column))
        lake.write_frame(table, frame, part)
    frame = lake.read_frame("scores", part)
    lake.write_frame("scores", frame.with_columns(style_reason=pl.lit(HOSTILE)), part)
