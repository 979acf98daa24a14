"""How a jail is started on this machine: found by `layers`, used by `jail`."""

from __future__ import annotations

import os
import site
import sys
from dataclasses import dataclass, field
from pathlib import Path

SCRATCH = "/scratch"
NULL = "/null"


Filters = tuple[bytes, bytes, tuple[int, ...]]
"""The seccomp filters as BPF: one for the first process and all its children, one more for each
child, and the offsets in the second where the child's process id goes."""


@dataclass(frozen=True)
class Project:
    """A project whose tests pytest runs in the jail.

    Attributes:
        folders: the folders to mount, read-only at their own paths, none inside another.
        folder: where pytest starts.
        modules: modules of other packages that it uses, imported once for all children.
        own: its own packages and modules, which each child imports itself.
    """

    folders: tuple[str, ...]
    folder: str
    modules: tuple[str, ...]
    own: tuple[str, ...]


@dataclass(frozen=True)
class Isolation:
    """How jails are started on this machine.

    Attributes:
        layers: the layers in force, in the order of `layers.LAYERS`.
        missing: layer -> why it is not in force.
        command: the command line that starts the jail's first process; the number of its control
            descriptor is appended.
        readable: the paths that Landlock leaves readable.
        filters: the seccomp filters; None if seccomp is not in force.
        project: the part of the setup message about the project whose tests are run; None for
            single programs.
    """

    layers: tuple[str, ...]
    missing: dict[str, str]
    command: tuple[str, ...] = field(repr=False)
    readable: tuple[str, ...] = field(repr=False)
    filters: Filters | None = field(repr=False)
    project: dict[str, object] | None = None

    @property
    def jailed(self) -> bool:
        """Whether the first process runs under bubblewrap."""
        return "user_namespace" in self.layers


def sites() -> list[str]:
    """Return the site-packages folders, whose .pth files Python reads at startup."""
    folders = {*site.getsitepackages(), site.getusersitepackages()}
    return [path for path in sys.path if path in folders]


def environment() -> list[str]:
    """Return the paths of installed packages, each also with its links resolved.

    PYTHONPATH and the script's folder are left out: they may be a whole home folder. A virtual
    environment can be a link.
    """
    found = [sys.prefix, sys.base_prefix, *sites()]
    for file in [file for folder in sites() for file in Path(folder).glob("*.pth")]:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        found += [str(file.parent / line) for line in lines if not line.startswith("import ")]
    return [*found, *map(os.path.realpath, found)]
