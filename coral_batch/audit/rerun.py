"""One repair again in the jail, its verdicts compared with the table's."""

from __future__ import annotations

from coral_batch import lake
from coral_batch.audit.comparison import differences
from coral_batch.audit.recorded import Mismatch
from coral_batch.corpus.split.reading import read_shown
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.stage import Lake
from coral_batch.records.rows import SampleRow
from coral_batch.verdicts.pool import judge
from coral_batch.verdicts.tables import program_of


def run_again(name: str) -> tuple[list[Mismatch], list[str]]:
    """Judge a repair again; nothing is taken from the journal, and nothing is written.

    Args:
        name: ``PART/GENOME/PROBLEM/SAMPLE``.

    Returns:
        Verdicts that came out otherwise, and a line for each case.

    Raises:
        CoralError: there is no such repair, or what it repairs is gone.
    """
    settings, tables = params.load(), Lake()
    parts = [*settings.generations, lake.BASELINE, *lake.EVALUATIONS.values()]
    part = next((one for one in parts if name.startswith(f"{one}/")), None)
    rows = [] if part is None else tables.rows("samples", SampleRow, part)
    rest = name.removeprefix(f"{part}/")
    samples = {f"{row.genome}/{row.problem}/{row.sample}": row for row in rows}
    if rest not in samples:
        raise CoralError(
            "no such repair",
            field="--rerun",
            found=name,
            expected=f"PART/GENOME/PROBLEM/SAMPLE with one of {', '.join(parts)} as PART and a "
            "repair of its samples.jsonl behind it",
        )
    sample = samples[rest]
    shown = read_shown(tables, settings)
    problem = lake.find(shown.values(), lake.path("bugs"), name=sample.problem)
    program = program_of(problem, sample.code, rest)
    (verdicts,) = judge([program], settings.verdicts, workers=1)
    columns = ("case", "test", "kind", "detail")
    again = {one.case: {column: getattr(one, column) for column in columns} for one in verdicts}
    own = {"genome": sample.genome, "problem": sample.problem, "sample": sample.sample}
    found = tables.frame("verdicts", part).filter(**own).select(columns)
    there = {row["case"]: row for row in found.to_dicts()}
    source, none = "running it again in the jail", "no such row"
    wrong = [
        Mismatch(lake.path("verdicts", part), f"{rest}, case {case}", path[1:], one, other, source)
        for case in sorted(there.keys() | again.keys())
        for path, one, other in differences(there.get(case, none), again.get(case, none), "")
    ]
    lines = [
        f"{name}, case {case}: {of['kind']}{'' if there.get(case) == of else ', not as before'}"
        for case, of in again.items()
    ]
    return wrong, lines
