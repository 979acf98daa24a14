"""Stage `linteval_items`: the items of CodeLinterEval, built from programs or read."""

from collections import Counter

from coral_batch import lake
from coral_batch.lake.stage import Outputs, Params, Tables, run

TABLES = ("linteval_items", "linteval_tests", "linteval_dropped")

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
    }


def linteval_items() -> None:
    """Build the CodeLinterEval items, or read official ones."""
    made = run(make, journal=_JOURNAL)
    dropped = Counter(row.reason for row in made["linteval_dropped"])
    print(f"{len(made['linteval_items'])} items, {dropped.total()} programs dropped")
    for reason, count in sorted(dropped.items()):
        print(f"  {reason}: {count}")
    feedback = "\n".join(item.inputs.feedback for item in made["linteval_items"])
    codes = Counter(sorted(line.partition(":")[0] for line in feedback.split("\n") if line))
    print(f"{len(codes)} codes: ", end="")
    print(", ".join(f"{code} {count}" for code, count in codes.most_common()))
