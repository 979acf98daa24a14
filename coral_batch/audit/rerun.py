"""Run one repair again in the jail and compare its verdicts with the table."""

from __future__ import annotations

from coral_batch import lake
from coral_batch.audit.comparison import differences
from coral_batch.audit.recorded import Mismatch
from coral_batch.corpus.split.reading import read_shown
from coral_batch.errors import CoralError, check_known
from coral_batch.lake import params
from coral_batch.lake.stage import Tables
from coral_batch.records.rows import SampleRow
from coral_batch.records.settings import Params
from coral_batch.records.verdict import as_program
from coral_batch.verdicts.pool import judge


def run_again(name: str) -> tuple[list[Mismatch], list[str]]:
    """Run a repair again, without the journal; nothing is written.

    Args:
        name: ``PART/GENOME/PROBLEM/SAMPLE``.

    Returns:
        Verdicts that differ, and a line per case.

    Raises:
        CoralError: there is no such repair, or its problem is gone.
    """
    settings, tables = params.load(), lake
    part, sample = _repair(name, settings, tables)
    shown = read_shown(tables, settings)
    problem = lake.find(shown.values(), lake.path("bugs"), name=sample.problem)
    (verdicts,) = judge([as_program(problem, sample.code)], settings.verdicts, workers=1)
    columns = ("case", "test", "kind", "detail")
    again = {f"case {of.case}": {one: getattr(of, one) for one in columns} for of in verdicts}
    key = {"genome": sample.genome, "problem": sample.problem, "sample": sample.sample}
    found = tables.read_frame("verdicts", part).filter(**key).select(columns)
    there = {f"case {row['case']}": row for row in found.to_dicts()}
    file, source = lake.path("verdicts", part), "running it again in the jail"
    wrong = [
        Mismatch(file, name, path[1:], one, other, source)
        for path, one, other in differences(there, again, "")
    ]
    lines = [
        f"{name}, {case}: {of['kind']}{'' if there.get(case) == of else ', differs from the table'}"
        for case, of in again.items()
    ]
    return wrong, lines


def _repair(name: str, settings: Params, tables: Tables) -> tuple[str, SampleRow]:
    """Find a repair by its name; return its part of the lake and its row.

    Raises:
        CoralError: there is none; says which word of the name is wrong.
    """
    part, *words = name.rsplit("/", 3)
    if len(words) < 3:
        raise CoralError(
            "no such repair", field="--rerun", found=name, expected="PART/GENOME/PROBLEM/SAMPLE"
        )
    parts = (*settings.generations, *lake.PARTS)
    check_known("no such repair", part, parts, field="--rerun, PART")
    rows = tables.read_rows("samples", SampleRow, part)
    for column, word in zip(("genome", "problem", "sample"), words, strict=True):
        known = [getattr(row, column) for row in rows]
        check_known("no such repair", word, known, field=f"--rerun, {column.upper()}")
        rows = [row for row in rows if str(getattr(row, column)) == word]
    return part, rows[0]
