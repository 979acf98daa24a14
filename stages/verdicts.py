"""Stage `verdicts`: every repair on every case of its problem, in the jail."""

from functools import partial

from coral_batch import lake
from coral_batch.corpus.split.reading import read_shown
from coral_batch.corpus.split.roles import check_roles
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.problem import Role
from coral_batch.records.rows import SampleRow
from stages.arguments import Part

TABLES = ("verdicts", "case_times")

_journal = partial(lake.journal, "verdicts")


def make(tables: Tables, settings: Params, part: str) -> Outputs:
    # Imported here: joblib is not needed by --help.
    from coral_batch.verdicts.tables import judge_samples

    samples = tables.read_rows("samples", SampleRow, part)
    names = {sample.problem for sample in samples}
    if part not in lake.EVALUATIONS.values():
        check_roles(names, tables.read_rows("manifest", Role), "test")
    shown = read_shown(tables, settings)
    problems = [problem for name, problem in shown.items() if name in names]
    rows, times = judge_samples(samples, problems, settings, _journal(part))
    return {"case_times": times, "verdicts": rows}


def verdicts(part: Part) -> None:
    """Run the repairs in the jail."""
    run(make, part, _journal(part))
