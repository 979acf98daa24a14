"""Files and folders are written whole or not at all."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coral_batch.lake.atomic import atomic, unfinished

WRITER = """
import sys
from pathlib import Path
from coral_batch.lake.atomic import unfinished
with unfinished(Path("table")) as folder:
    folder.mkdir()
    (folder / "half").touch()
    print("at work", flush=True)
    sys.stdin.read()
"""


def write(target: Path, text: str) -> None:
    with unfinished(target) as folder:
        folder.mkdir()
        (folder / "file").write_text(text)


def test_a_killed_writer_leaves_what_stood_and_what_it_left_goes_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("table"), "before")
    with subprocess.Popen(
        [sys.executable, "-c", WRITER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"at work\n"
        writer.kill()
    assert Path("table/file").read_text() == "before"
    (left,) = tmp_path.glob(".table.unfinished-*")
    write(Path("table"), "after")
    assert left.exists()
    os.utime(left, (then := time.time() - 2 * 24 * 60 * 60, then))
    write(Path("table"), "after")
    assert [path.name for path in tmp_path.iterdir()] == ["table"]
    assert Path("table/file").read_text() == "after"


def test_a_block_that_fails_leaves_what_stood(tmp_path: Path) -> None:
    file = tmp_path / "new" / "file"
    with atomic(file) as stream:
        stream.write(b"before")
    with pytest.raises(FileNotFoundError), atomic(file) as stream:
        stream.write(b"after")
        (tmp_path / "nothing").read_bytes()
    assert [path.name for path in file.parent.iterdir()] == ["file"]
    assert file.read_bytes() == b"before"


def test_a_file_gets_the_mode_of_a_new_one_or_the_one_named(tmp_path: Path) -> None:
    (tmp_path / "new").touch()
    for name, mode in (("a", None), ("b", 0o600)):
        with atomic(tmp_path / name, mode):
            pass
        expected = mode or (tmp_path / "new").stat().st_mode & 0o777
        assert (tmp_path / name).stat().st_mode & 0o777 == expected


def test_two_writers_of_a_folder_leave_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(self: Path, target: Path) -> None:
        """Another process writes the folder as soon as the old one is moved away."""
        self.replace(target)
        self.mkdir()
        (self / "file").write_text("same")

    write(tmp_path / "table", "old")
    monkeypatch.setattr(Path, "rename", taken)
    write(tmp_path / "table", "same")
    assert [one.name for one in tmp_path.iterdir()] == ["table"]
    assert (tmp_path / "table/file").read_text() == "same"
