"""What the store promises: the same key gives the same bytes, or nothing."""

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from coral_batch.errors import CoralError
from coral_batch.lake.store import Store, key_of
from tests.rights import bound_by_modes

DETERMINANTS = {"base": "abc", "r": 8, "modules": ["q_proj", "v_proj"]}


def _build(folder: Path) -> None:
    (folder / "adapter").mkdir()
    (folder / "adapter" / "weights").write_bytes(b"weights")
    (folder / "curve.json").write_text("[1, 2]")


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_what_was_put_is_got(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.get("adapters", DETERMINANTS) is None
    put = store.put("adapters", DETERMINANTS, _build)
    got = Store(tmp_path / "store").get("adapters", dict(reversed(DETERMINANTS.items())))
    assert got == put
    assert _contents(put) == {"adapter/weights": b"weights", "curve.json": b"[1, 2]"}
    assert store.get("samples", DETERMINANTS) is None
    assert store.get("adapters", DETERMINANTS | {"r": 16}) is None


def test_an_entry_that_another_process_finishes_first_stays(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    first: list[int] = []

    def build(folder: Path) -> None:
        _build(folder)
        other = store.put("adapters", DETERMINANTS, _build)
        first.append(other.parent.stat().st_ino)

    put = store.put("adapters", DETERMINANTS, build)
    assert [put.parent.stat().st_ino] == first
    assert store.get("adapters", DETERMINANTS) == put
    assert store.unfinished() == []


def _edit_determinants(entry: Path) -> None:
    index = entry / "index.json"
    index.write_text(index.read_text().replace('"r": 8', '"r": 16'))


def _replace_by_link(entry: Path) -> None:
    shutil.rmtree(entry)
    entry.symlink_to("nowhere")


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: (entry / "files/adapter/weights").write_bytes(b"Weights"),
        lambda entry: (entry / "files/curve.json").unlink(),
        lambda entry: (entry / "files/more").touch(),
        lambda entry: (entry / "index.json").write_text("{"),
        _edit_determinants,
        lambda entry: shutil.rmtree(entry / "files"),
        _replace_by_link,
    ],
    ids=("changed", "removed", "added", "torn", "other", "no files", "a link"),
)
def test_a_damaged_entry_is_reported_and_never_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], object]
) -> None:
    store = Store(tmp_path)
    files = store.put("adapters", DETERMINANTS, _build)
    damage(files.parent)
    assert store.get("adapters", DETERMINANTS) is None
    assert str(files.parent) in capsys.readouterr().err
    assert store.get("adapters", DETERMINANTS) is None
    assert capsys.readouterr().err == ""
    assert _contents(store.put("adapters", DETERMINANTS, _build))["adapter/weights"] == b"weights"


@pytest.mark.parametrize("place", [".", "files/curve.json"])
def test_an_entry_that_may_not_be_read_is_told_and_stays(tmp_path: Path, place: str) -> None:
    store = Store(tmp_path)
    entry = store.put("adapters", DETERMINANTS, _build).parent
    mode = (entry / place).stat().st_mode
    (entry / place).chmod(0)
    denied = pytest.raises(CoralError, match=r"cannot be read(?s:.*)Permission denied")
    with denied, bound_by_modes():
        store.get("adapters", DETERMINANTS)
    (entry / place).chmod(mode)
    assert store.get("adapters", DETERMINANTS) == entry / "files"


def test_a_full_disk_is_an_error_for_the_user(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(CoralError, match=f"{key_of(DETERMINANTS)}[\\s\\S]*No space left"):
        Store(tmp_path).put("adapters", DETERMINANTS, fail)
    assert list((tmp_path / "adapters").iterdir()) == []
