"""A damaged file of a project is refused with one message, and nothing else changes."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coral_batch.errors import CoralError
from coral_batch.lake.hashes import found_sha256
from tests.finished_lake import stage

READ_BY: dict[str, tuple[str, ...]] = {
    "params.yaml": ("split",),
    "lake/raw/classics/json_testcases/gcd.json": ("corpus", "classics"),
    "lake/raw/classics/python_programs/gcd.py": ("corpus", "classics"),
    "lake/corpus/classics.jsonl": ("split",),
    "lake/calibration/calibration.json": ("adapters", "001"),
    "lake/generations/001/automata.npz": ("features", "001"),
    "lake/generations/001/samples.jsonl": ("findings", "001"),
    "lake/generations/001/verdicts.parquet": ("scores", "001"),
    "lake/best/best.json": ("evidence",),
}
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "torn": lambda content: content[: len(content) // 2],
    "not text": lambda _: b"\xff\xfe\x00",
    "another form": lambda _: b"[1]\n",
}


@pytest.fixture(scope="module", autouse=True)
def project(lake_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A finished lake in the working directory."""
    folder = shutil.copytree(lake_once, tmp_path_factory.mktemp("damaged") / "project")
    with contextlib.chdir(folder):
        yield


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", READ_BY)
def test_a_damaged_file_is_refused(name: str, damage: str) -> None:
    file = Path(name)
    whole = file.read_bytes()
    file.write_bytes(DAMAGES[damage](whole))
    before = {one: found_sha256(one) for one in Path("lake").rglob("*") if one.is_file()}
    try:
        with pytest.raises(CoralError):
            stage(*READ_BY[name])
        assert before == {one: found_sha256(one) for one in before}
    finally:
        file.write_bytes(whole)
