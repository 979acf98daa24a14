"""Files are written whole or not at all, and what a killed run left unfinished is cleared away."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from coral_batch.errors import CoralError
from coral_batch.lake.atomic import atomic, unfinished_folder

WRITERS = {
    "file": """
import sys
from pathlib import Path
from coral_batch.lake.atomic import atomic
with atomic(Path("table")) as stream:
    stream.write(b"half")
    stream.flush()
    print("at work", flush=True)
    sys.stdin.read()
""",
    "folder": """
import sys
from pathlib import Path
from coral_batch.lake.atomic import unfinished_folder
with unfinished_folder(Path("table")) as folder:
    (folder / "half").touch()
    print("at work", flush=True)
    sys.stdin.read()
""",
}


def write(kind: str) -> None:
    if kind == "file":
        with atomic(Path("table")) as stream:
            stream.write(b"whole")
    else:
        with unfinished_folder(Path("table")) as folder:
            (folder / "whole").mkdir()
            (folder / "whole").rename("table")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_writer_left_goes_and_what_one_is_at_work_on_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".table.swp").touch()
    with subprocess.Popen(
        [sys.executable, "-c", WRITERS[kind]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"at work\n"
        (unfinished,) = tmp_path.glob(".table.unfinished-*")
        write(kind)
        assert unfinished.exists()
        writer.kill()
    assert unfinished.exists()
    (tmp_path / "table").rename(tmp_path / "before")
    write(kind)
    assert {path.name for path in tmp_path.iterdir()} == {".table.swp", "before", "table"}


MANY = """
import sys
from pathlib import Path
from coral_batch.lake.atomic import atomic, move_into_place, unfinished_folder

print("here", flush=True)
sys.stdin.readline()
for number in range(200):
    if sys.argv[1] == "file":
        with atomic(Path("table")) as stream:
            stream.write(b"whole")
    else:
        with unfinished_folder(Path("table")) as folder:
            (folder / "whole").mkdir()
            move_into_place(folder / "whole", Path("table"))
"""


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_writers_of_the_same_thing_leave_each_others_alone(tmp_path: Path, kind: str) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", MANY, kind],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "here\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate()[1] for writer in writers] == [""] * 3
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


@pytest.mark.parametrize("write", [atomic, unfinished_folder])
def test_a_file_in_the_place_of_a_folder_is_told(
    tmp_path: Path, write: Callable[[Path], AbstractContextManager[object]]
) -> None:
    (tmp_path / "lake").touch()
    target = tmp_path / "lake" / "base"
    with (
        pytest.raises(CoralError, match=rf"{target}[\s\S]*(File exists|Not a directory)"),
        write(target),
    ):
        pass


def test_a_fault_that_is_not_the_disks_keeps_its_kind(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), unfinished_folder(tmp_path / "base"):
        (tmp_path / "nothing").read_bytes()
    assert list(tmp_path.iterdir()) == []


def test_a_block_that_fails_leaves_what_stood(tmp_path: Path) -> None:
    file = tmp_path / "new" / "file"
    with atomic(file) as stream:
        stream.write(b"before")
    with pytest.raises(ValueError, match="stop"), atomic(file) as stream:
        stream.write(b"after")
        raise ValueError("stop")
    assert [path.name for path in file.parent.iterdir()] == ["file"]
    assert file.read_bytes() == b"before"
