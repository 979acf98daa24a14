"""Stage `bugs`: injected bugs that the programs' tests detect."""

from dataclasses import replace

from coral_batch import lake
from coral_batch.corpus.injection.trials import CPU_SECONDS, inject, runs_too_long
from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import select_evaluation
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.problem import Role

TABLES = ("bug_trials", "bugs")

_JOURNAL = lake.journal("bugs")


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    # Imported here: joblib is not needed by --help.
    from coral_batch.verdicts import pool

    manifest = tables.read_rows("manifest", Role)
    problems = select_evaluation(read_problems(tables, settings), manifest, "all")
    limits = settings.verdicts
    limits = replace(limits, cpu_seconds=min(limits.cpu_seconds, CPU_SECONDS))
    judge = pool.judge_of(replace(settings, verdicts=limits), _JOURNAL)
    trials, bugs = inject(problems, settings.injection, settings.seed, judge)
    return {"bug_trials": trials, "bugs": bugs}


def bugs() -> None:
    """Put bugs into the programs, and keep those that the tests find."""
    made = run(make, journal=_JOURNAL)
    tried = sum(1 for row in made["bug_trials"] if row["number"])
    programs = len({bug.problem for bug in made["bugs"]})
    print(f"{len(made['bugs'])} bugs of {programs} programs, from {tried} candidates")
    references = [row for row in made["bug_trials"] if not row["number"]]
    if slow := [row["problem"] for row in references if runs_too_long(row["outcomes"])]:
        print(f"no injected bugs, since the references run too long: {', '.join(slow)}")
