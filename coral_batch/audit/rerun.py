"""One repair again in the jail, its verdicts compared with the table's."""

from __future__ import annotations

from coral_batch import lake
from coral_batch.audit.mismatch import Mismatch
from coral_batch.audit.recorded import Recorded
from coral_batch.corpus.split.reading import read_shown
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.verdicts.pool import judge
from coral_batch.verdicts.tables import program_of


def run_again(name: str) -> tuple[list[Mismatch], list[str]]:
    """Judge a repair again; nothing is taken from the journal, and nothing is written.

    Args:
        name: ``PART/GENOME/PROBLEM/SAMPLE``.

    Returns:
        Verdicts that came out otherwise, and a line for each case.

    Raises:
        CoralError: there is no such repair.
    """
    settings = params.load()
    recorded = Recorded()
    part, _, rest = name.partition("/")
    parts = [*settings.generations, lake.BASELINE, *lake.EVALUATIONS.values()]
    if part not in parts:  # that of an evaluation has a stroke in it
        part, rest = "/".join(name.split("/")[:2]), "/".join(name.split("/")[2:])
    samples = {_id(row): row for row in recorded.raw("samples", part)} if part in parts else {}
    if rest not in samples:
        raise CoralError(
            "no such repair",
            field="--rerun",
            found=name,
            expected=f"PART/GENOME/PROBLEM/SAMPLE with one of {', '.join(parts)} as PART and a "
            "repair of its samples.jsonl behind it",
        )
    problems = read_shown(recorded, settings)
    sample = samples[rest]
    program = program_of(problems[sample["problem"]], sample["code"], rest)
    (verdicts,) = judge([program], settings.verdicts, workers=1)
    there = {row["case"]: row for row in recorded.raw("verdicts", part) if _id(row) == rest}
    place, lines, found_other = lake.path("verdicts", part), [], []
    again = "running it again in the jail"
    for verdict in verdicts:
        found = there.pop(verdict.case, {})
        row = f"{rest}, case {verdict.case}"
        changed = [
            Mismatch(place, row, column, before, getattr(verdict, column), again)
            for column in ("test", "kind", "detail")
            if (before := found.get(column, "no such row")) != getattr(verdict, column)
        ]
        found_other += changed
        words = ", not as before" if changed else ""
        lines.append(f"{name}, case {verdict.case}: {verdict.kind}{words}")
    found_other += [
        Mismatch(place, rest, None, f"case {case}", "no such case", again) for case in there
    ]
    return recorded.mismatches + found_other, lines


def _id(row: dict[str, object]) -> str:
    return f"{row['genome']}/{row['problem']}/{row['sample']}"
