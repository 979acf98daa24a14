"""Stage `linteval_items`: the questions of CodeLinterEval, built from programs or read."""

import functools
from pathlib import Path

from coral_batch import lake, params


def linteval_items() -> None:
    """Build the CodeLinterEval items, or read official ones."""
    # Imported here: the linters and the jail are not needed by --help.
    from coral_batch.corpus.codelintereval import read_codelintereval
    from coral_batch.corpus.folder import read_folder
    from coral_batch.corpus.mbpp import read_mbpp
    from coral_batch.corpus.snippets import read_snippets
    from coral_batch.linteval.build import adopt, build
    from coral_batch.linteval.item import Dropped
    from coral_batch.linteval.mutants import mutants
    from coral_batch.linteval.prompts import PROMPTS
    from coral_batch.verdicts import judge

    settings = params.load()
    chosen = settings.linteval
    path = Path(chosen.path)
    if chosen.source == "official":
        data_set = adopt(read_codelintereval(path), path.name)
    else:
        dropped: list[Dropped] = []
        if chosen.source == "snippets":
            candidates = mutants(read_snippets(path), settings.seed)
        else:
            candidates, dropped = (read_mbpp if chosen.source == "mbpp" else read_folder)(path)
        in_jail = functools.partial(
            judge,
            settings=settings.verdicts,
            workers=settings.compute.workers,
            journal=lake.VERDICT_JOURNAL,
        )
        data_set = build(
            candidates, PROMPTS[chosen.language], in_jail, settings.compute.workers, dropped
        )
    lake.write_rows("linteval_items", data_set.items)
    lake.write_rows("linteval_tests", data_set.tests)
    lake.write_rows("linteval_dropped", data_set.dropped)
    lake.write_document("linteval_statistics", data_set.statistics)
    print(f"{data_set.statistics.kept} items from {path}, {len(data_set.dropped)} dropped")
    for reason, count in data_set.statistics.dropped.items():
        print(f"  {reason}: {count}")
    print(f"{len(data_set.statistics.findings)} codes: ", end="")
    print(", ".join(f"{code} {count}" for code, count in data_set.statistics.findings.items()))
