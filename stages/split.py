"""Stage `split`: who is trained on, who is selected on, who is held out."""

from dataclasses import asdict

from coral_batch.corpus.split.overlap import given_away, measure_overlaps
from coral_batch.corpus.split.roles import exclude, make_manifest
from coral_batch.corpus.split.statistics import describe
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.problem import Problem
from coral_batch.records.settings import Params

TABLES = ("manifest", "overlaps", "statistics")


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    sources = {name: tables.rows("problems", Problem, name) for name in settings.corpus.sources}
    problems = [problem for found in sources.values() for problem in found]
    overlaps = measure_overlaps(problems)
    excluded = given_away(overlaps, settings.split)
    manifest = exclude(make_manifest(sources), excluded)
    kept = [row for row in overlaps if row.evaluation not in excluded]
    return {
        "manifest": manifest,
        "overlaps": [asdict(row) for row in kept],
        "statistics": describe(manifest, kept),
    }


def split() -> None:
    """Check who is trained on, selected on and held out."""
    made = run(make)
    statistics, excluded = made["statistics"], [r for r in made["manifest"] if r.role == "excluded"]
    closest = max(statistics.near_duplicates, key=lambda pair: pair.similarity)
    print(
        f"{statistics.training.problems} training, {statistics.test.problems} test, "
        f"{statistics.held_out.problems} held out, {statistics.excluded.problems} excluded; "
        f"most alike: {closest.evaluation} and {closest.other} ({closest.similarity:.2f})"
    )
    for row in excluded:
        print(f"excluded: {row.name}: {row.reason}")
