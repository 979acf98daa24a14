"""Stage `split`: the training, test and held-out problems."""

from collections import Counter
from dataclasses import asdict

from coral_batch import lake
from coral_batch.corpus.split.overlap import leaked, measure_overlaps
from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import (
    check_complete,
    exclude,
    make_manifest,
    select,
    select_evaluation,
)
from coral_batch.corpus.split.shown import check_bugs
from coral_batch.lake import params
from coral_batch.lake.atomic import writing
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.problem import Role

TABLES = ("manifest", "overlaps")


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    given = (tables.read_rows("source_roles", Role, name) for name in settings.corpus.sources)
    manifest = make_manifest(given)
    problems = read_problems(tables, settings)
    while excluded := leaked(overlaps := measure_overlaps(problems, manifest), settings.split):
        # A held-out program may be like test programs only that are themselves excluded.
        tests = {row.name for row in manifest if row.role == "test"}
        first = {name: why for name, why in excluded.items() if name in tests}
        manifest = exclude(manifest, first or excluded)
    check_complete(manifest)
    # `samples` would refuse these too, but only after training.
    check_bugs(select(problems, manifest, "test"), settings.validation.bugs, "validation.bugs")
    evaluated = select_evaluation(problems, manifest, settings.evaluation.problems)
    check_bugs(evaluated, settings.evaluation.bugs, "evaluation.bugs")
    return {"manifest": manifest, "overlaps": [asdict(row) for row in overlaps]}


def split() -> None:
    """Check the roles of all problems, and look for leaks."""
    _forget_other_sources()
    made = run(make)
    counts = Counter(row.role for row in made["manifest"])
    closest = max(made["overlaps"], key=lambda row: row["similarity"])
    print(
        f"{counts['training']} training, {counts['test']} test, {counts['held_out']} held out, "
        f"{counts['excluded']} excluded; "
        f"most alike: {closest['evaluation']} and {closest['other']} ({closest['similarity']:.2f})"
    )
    for row in made["manifest"]:
        if row.role == "excluded":
            print(f"excluded: {row.name}: {row.reason}")


def _forget_other_sources() -> None:
    """Remove the tables of sources that params.yaml no longer names.

    Stages depend on the whole folder, and a checkout of dvc.lock would not have these tables.
    """
    sources = params.load().corpus.sources
    for table in ("problems", "source_roles", "corpus_dropped"):
        known = {lake.path(table, name) for name in sources}
        for file in lake.path(table, "any").parent.glob("*.jsonl"):
            if file not in known:
                with writing(file):
                    file.unlink()
