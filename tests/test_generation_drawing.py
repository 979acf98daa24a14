"""What several genomes ask for together, and what of it comes from the store."""

from __future__ import annotations

from pathlib import Path

from coral_batch.lake.store import Store
from coral_batch.models.base.checkpoint import materialise
from coral_batch.models.decoding.drawing import KIND, Drawing, Work, draw
from coral_batch.records.configuration import Knobs
from tests.tiny import make_tiny_base

KNOBS = Knobs(0.9, 0.95, 40, 1.0)


def test_pieces_that_ask_for_the_same_are_drawn_once(tmp_path: Path) -> None:
    source = make_tiny_base(tmp_path / "source")
    base = tmp_path / "base"
    materialise(str(source), None, base, tmp_path / "downloads")
    works = [
        Work(name, None, None, {}, knobs, {"one": "Fix it."})
        for name, knobs in (("a", KNOBS), ("b", Knobs(0.5, 1.0, 40, 1.0)), ("c", KNOBS))
    ]
    store = Store(tmp_path / "store")
    answers, durations = draw(works, Drawing(2, 8, 1, 4, None), base, "genomes", store)
    assert answers[0] == answers[2] != answers[1]
    assert [(row.unit, row.reused) for row in durations] == [
        ("a", False),
        ("b", False),
        ("c", True),
    ]
    assert durations[2].seconds == 0
    assert len([*(store.root / KIND).rglob("samples.json")]) == 2
    again, durations = draw(works, Drawing(2, 8, 1, 4, None), base, "genomes", store)
    assert again == answers and all(row.reused for row in durations)
