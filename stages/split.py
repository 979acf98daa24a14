"""Stage `split`: the training, test and held-out problems."""

from collections import Counter
from dataclasses import asdict

from coral_batch.corpus.split.overlap import leaked, measure_overlaps
from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import check_complete, exclude, make_manifest
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.problem import Role

TABLES = ("manifest", "overlaps")


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    given = (tables.read_rows("source_roles", Role, name) for name in settings.corpus.sources)
    manifest = make_manifest(given)
    check_complete(manifest)
    overlaps = measure_overlaps(read_problems(tables, settings), manifest)
    excluded = leaked(overlaps, settings.split)
    manifest = exclude(manifest, excluded)
    check_complete(manifest)
    return {
        "manifest": manifest,
        "overlaps": [asdict(row) for row in overlaps if row.evaluation not in excluded],
    }


def split() -> None:
    """Check the roles of all problems, and look for leaks."""
    made = run(make)
    counts = Counter(row.role for row in made["manifest"])
    closest = max(made["overlaps"], key=lambda row: row["similarity"])
    print(
        f"{counts['training']} training, {counts['test']} test, {counts['held_out']} held out, "
        f"{counts['excluded']} excluded; "
        f"closest: {closest['evaluation']} and {closest['other']} ({closest['similarity']:.2f})"
    )
    for row in made["manifest"]:
        if row.role == "excluded":
            print(f"excluded: {row.name}: {row.reason}")
