"""Stage `linteval_items`: the items of CodeLinterEval, built from programs or read."""

from coral_batch import lake
from coral_batch.lake.stage import Outputs, Params, Tables, run

TABLES = ("linteval_items", "linteval_tests", "linteval_dropped", "linteval_statistics")

_JOURNAL = lake.journal("linteval_items")


def make(_: Tables, settings: Params, __: None) -> Outputs:
    # Imported here: the linters are not needed by --help.
    from coral_batch.linteval.items.sources import make as make_items
    from coral_batch.verdicts import pool

    made = make_items(settings, pool.judge_of(settings, _JOURNAL))
    return {
        "linteval_items": made.items,
        "linteval_tests": made.tests,
        "linteval_dropped": made.dropped,
        "linteval_statistics": made.statistics,
    }


def linteval_items() -> None:
    """Build the CodeLinterEval items, or read official ones."""
    made = run(make, journal=_JOURNAL)["linteval_statistics"]
    print(f"{made.kept} items, {sum(made.dropped.values())} programs dropped")
    print(f"instructions: {made.prompts_from}")
    for reason, count in made.dropped.items():
        print(f"  {reason}: {count}")
    print(f"{len(made.findings)} codes: ", end="")
    print(", ".join(f"{code} {count}" for code, count in made.findings.items()))
