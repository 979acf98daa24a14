"""`coral store`: list, verify and prune entries."""

import os
import time
from pathlib import Path

from coral_batch import lake
from coral_batch.lake.store import Store
from tests.command import coral

DAY = 24 * 60 * 60


def store(*arguments: object) -> str:
    done = coral("store", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def entry(r: int, content: bytes = b"weights") -> Path:
    known = {"configuration": {"r": r, "use_dora": True}, "code": "0" * 64}
    files = Store(lake.STORE).put(
        "adapters", known, lambda folder: (folder / "weights").write_bytes(content) and None
    )
    return files.parent


def age(folder: Path, days: float) -> None:
    then = time.time() - days * DAY
    os.utime(folder, (then, then))


def test_the_list_shows_each_entry_with_size_and_settings(workspace: Path) -> None:
    folder = entry(8, b"x" * 2048)
    shown = store("list")
    assert folder.name[:12] in shown
    assert "r 8, use_dora True" in shown
    assert "1 entry, 2." in shown


def test_an_empty_store_is_no_error(workspace: Path) -> None:
    assert "0 entries, 0 B" in store("list")
    assert "0 entries" in store("verify")
    assert "0 removed" in store("prune")


def test_verify_names_the_damaged_entry_and_fails(workspace: Path) -> None:
    good, bad = entry(8), entry(16)
    assert "2 entries" in store("verify")
    (bad / "files" / "weights").write_bytes(b"Weights")
    done = coral("store", "verify")
    assert done.returncode == 1
    assert "1 of 2" in done.stderr
    assert str(bad) in done.stdout
    assert str(good) not in done.stdout


def test_prune_removes_only_damaged_and_abandoned_entries(workspace: Path) -> None:
    good, bad = entry(8), entry(16)
    (bad / "files" / "weights").unlink()
    abandoned, in_the_making = (good.parent / f".key.unfinished-{name}" for name in "ab")
    for folder in (abandoned, in_the_making):
        folder.mkdir()
    age(abandoned, 2)
    before = sorted(good.parent.iterdir())
    assert "2 would be removed" in store("prune", "--dry-run")
    assert sorted(good.parent.iterdir()) == before
    assert "2 removed" in store("prune")
    assert sorted(good.parent.iterdir()) == sorted([good, in_the_making])


def test_prune_removes_entries_unused_for_some_days(workspace: Path) -> None:
    old, read, new = entry(4), entry(8), entry(16)
    for folder in (old, read):
        age(folder, 40)
    assert Store(lake.STORE).get(
        "adapters", {"configuration": {"r": 8, "use_dora": True}, "code": "0" * 64}
    )
    assert "1 removed" in store("prune", "--unused", "30")
    assert sorted(new.parent.iterdir()) == sorted([read, new])
    assert "2 removed" in store("prune", "--unused", "0")
