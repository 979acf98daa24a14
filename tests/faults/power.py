"""What a power cut leaves of a folder: each file and folder as it was last forced to the disk.

`Disk` follows a run from outside: every process of it has `recorded/sitecustomize.py` on its
PYTHONPATH, which hands each file or folder that is forced to the disk to this one. When the run
has been killed, `cut` brings the folder back to what a disk has to hold by POSIX, in two forms:

- the names as the run left them, and of each file what had been forced to the disk, nothing of one
  that never was: a file system that keeps its names in a journal;
- the names, too, only as their folder had last been forced to the disk: what was made or renamed
  since is gone or where it was, what was removed is back.

What a disk may have written before it had to, this one has not. What is not modelled: what is
forced to the disk by other means than Python's `os.fsync`, such as DVC's databases.
"""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

RECORDED = Path(__file__).parent / "recorded"
APART = ("dvc.lock", ".dvc/tmp", "coral_batch", "stages", "schemas", "lake/raw", "tiny")
"""What stays as it is: DVC's lock file (docs/faults.md) and databases, and what no run writes."""

Names = dict[str, int]


class Disk:
    """The disk under a folder while a run works in it.

    Args:
        root: the folder; all in it counts as on the disk when the block begins.

    Attributes:
        environment: what the run's processes need in their environment.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        # Number of an inode -> what the disk has of it: a file's bytes or a folder's names.
        self._held: dict[int, bytes | Names] = {}
        # Every inode that is known stays open, so that no other file gets its number.
        self._open: dict[int, int] = {}

    def __enter__(self) -> Self:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        for place in (Path(), *_walk(self.root)):
            with _opened(self.root / place) as descriptor:
                self._record(descriptor)
        self._folder = tempfile.TemporaryDirectory(prefix="disk-")
        self.environment = {
            "CORAL_TEST_DISK": f"{self._folder.name}/socket",
            "PYTHONPATH": f"{RECORDED}{os.pathsep}{self.root}",
        }
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(self.environment["CORAL_TEST_DISK"])
        self._socket.listen()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()
        self._folder.cleanup()
        for descriptor in self._open.values():
            os.close(descriptor)

    def cut(self, *, names_stay: bool) -> list[str]:
        """Leave in the folder what the disk has; every process of the run has ended.

        Args:
            names_stay: which of the two forms, see the module.

        Returns:
            The files and folders that changed, came back or went, sorted.
        """
        found = set(_walk(self.root))
        if names_stay:
            left = {
                place: None if path.is_dir() else self._content(path.stat().st_ino)
                for place in found
                for path in [self.root / place]
            }
        else:
            left = dict(self._names(self.root.stat().st_ino, Path()))
        gone = sorted(found - left.keys(), reverse=True)  # what is in a folder before the folder
        for path in (self.root / place for place in gone):
            path.rmdir() if path.is_dir() else path.unlink()
        changed = [str(place) for place in gone]
        for place, content in sorted(left.items()):
            path = self.root / place
            if path.is_dir() if content is None else _holds(path, content):
                continue
            changed.append(str(place))
            if content is None:
                path.mkdir()
                continue
            mode = stat.S_IMODE(path.stat().st_mode) if path.is_file() else 0o644
            path.unlink(missing_ok=True)
            path.write_bytes(content)
            path.chmod(mode)
        return sorted(changed)

    def _listen(self) -> None:
        while True:
            try:
                line, _ = self._socket.accept()
            except OSError:
                return
            with line:
                _, descriptors, _, _ = socket.recv_fds(line, 1, 1)
                for descriptor in descriptors:
                    self._record(descriptor)
                    os.close(descriptor)
                with contextlib.suppress(OSError):  # the process may have been killed meanwhile
                    line.send(b".")

    def _record(self, descriptor: int) -> None:
        """Take what a file or folder holds now for what the disk has of it."""
        status = os.stat(descriptor)
        self._pin(Path(f"/proc/self/fd/{descriptor}"), status.st_ino)
        if stat.S_ISDIR(status.st_mode):
            names = {}
            for name in os.listdir(descriptor):
                names[name] = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_ino
                self._pin(Path(f"/proc/self/fd/{descriptor}/{name}"), names[name])
            self._held[status.st_ino] = names
        else:
            self._held[status.st_ino] = Path(f"/proc/self/fd/{descriptor}").read_bytes()

    def _pin(self, path: Path, number: int) -> None:
        if number not in self._open:
            self._open[number] = os.open(path, os.O_PATH)

    def _content(self, number: int) -> bytes | None:
        """Return what the disk has of a file; None for a folder."""
        held = self._held.get(number, b"")
        known = self._open.get(number)
        is_folder = known is not None and Path(f"/proc/self/fd/{known}").is_dir()
        return None if is_folder or isinstance(held, dict) else held

    def _names(self, folder: int, place: Path) -> Iterator[tuple[Path, bytes | None]]:
        """Yield what the disk has below a folder, as `_content` has it."""
        names = self._held.get(folder, {})
        assert isinstance(names, dict)
        for name, number in names.items():
            below = place / name
            if str(below) in APART:
                continue
            content = self._content(number)
            yield below, content
            if content is None:
                yield from self._names(number, below)


def _walk(root: Path) -> Iterator[Path]:
    """Yield the files and folders below `root` that are not apart, relative to it."""
    for folder, folders, files in os.walk(root):
        place = Path(folder).relative_to(root)
        folders[:] = [name for name in folders if str(place / name) not in APART]
        below = (place / name for name in (*folders, *files))
        yield from (name for name in below if str(name) not in APART)


def _holds(file: Path, content: bytes) -> bool:
    return file.is_file() and file.read_bytes() == content


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
