"""Stage `split`: who is trained on, who is selected on, who is held out."""

from dataclasses import asdict

from coral_batch import lake
from coral_batch.corpus.overlap import check_overlaps, measure_overlaps
from coral_batch.corpus.split import assign
from coral_batch.corpus.statistics import describe
from coral_batch.lake import params
from coral_batch.records.problem import Problem


def split() -> None:
    """Assign the problems to training, test and held-out."""
    settings = params.load().split
    problems = lake.read_rows("problems", Problem)
    manifest = assign(problems)
    overlaps = measure_overlaps(problems, manifest)
    check_overlaps(overlaps, settings)
    statistics = describe(problems, manifest, overlaps)
    lake.write_rows("manifest", manifest)
    lake.write_frame("overlaps", lake.frame("overlaps", [asdict(row) for row in overlaps]))
    lake.write_document("statistics", statistics)
    closest = max(statistics.near_duplicates, key=lambda pair: pair.similarity)
    print(
        f"{statistics.training.problems} training, {statistics.test.problems} test, "
        f"{statistics.held_out.problems} held out, {statistics.excluded.problems} excluded; "
        f"most alike: {closest.evaluation} and {closest.training} ({closest.similarity:.2f})"
    )
