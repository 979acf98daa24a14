"""Files that a person can touch, changed at random: accepted, or refused with one message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.fuzz import REFUSED, fuzz
from tests.faults.readers import READERS, make_attacked


def test_no_changed_file_gets_a_command_to_do_anything_but_finish_or_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_attacked(tmp_path)
    tally = fuzz(tmp_path, range(2 * len(READERS)), seed=1)
    assert tally.defects == []
    assert set(tally.outcomes) == set(READERS)
    refused = sum(count[REFUSED] for count in tally.outcomes.values())
    assert refused > len(READERS) / 2
