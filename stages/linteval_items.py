"""Stage `linteval_items`: the questions of CodeLinterEval, built from programs or read."""

import functools

from coral_batch import lake
from coral_batch.lake import params


def linteval_items() -> None:
    """Build the CodeLinterEval items, or read official ones."""
    # Imported here: the linters and the jail are not needed by --help.
    from coral_batch.linteval.items.sources import make
    from coral_batch.verdicts import judge

    settings = params.load()
    in_jail = functools.partial(
        judge,
        settings=settings.verdicts,
        workers=settings.compute.workers,
        journal=lake.VERDICT_JOURNAL,
    )
    data_set = make(settings, in_jail)
    lake.write_rows("linteval_items", data_set.items)
    lake.write_rows("linteval_tests", data_set.tests)
    lake.write_rows("linteval_dropped", data_set.dropped)
    lake.write_document("linteval_statistics", data_set.statistics)
    path = settings.linteval.path
    print(f"{data_set.statistics.kept} items from {path}, {len(data_set.dropped)} dropped")
    for reason, count in data_set.statistics.dropped.items():
        print(f"  {reason}: {count}")
    print(f"{len(data_set.statistics.findings)} codes: ", end="")
    print(", ".join(f"{code} {count}" for code, count in data_set.statistics.findings.items()))
