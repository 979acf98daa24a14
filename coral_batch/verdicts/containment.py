"""How a jail is started on this machine: what `layers` finds out and `jail` goes by."""

from __future__ import annotations

import os
import site
import sys
from dataclasses import dataclass, field
from pathlib import Path

SCRATCH = "/scratch"
NULL = "/null"
THROUGH = "/through"
COMPILED = "/compiled"
DEVICES = ("null", "zero", "full", "random", "urandom")


Filters = tuple[bytes, bytes, tuple[int, ...]]
"""The seccomp filters as BPF: for the first process and all its children; for each child on top of
that; and offsets in the latter where the child's process id belongs."""


@dataclass(frozen=True)
class Project:
    """A project whose tests pytest runs in the jail.

    Attributes:
        folders: what is mounted of it, read-only and where it lies, none within another.
        folder: where pytest is started.
        modules: what its files import of other packages, imported once for all children.
        own: the packages and modules that it has itself, which each child imports anew.
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
        filters: the seccomp filters; None when seccomp is not in force.
        project: the project whose tests are run; None for programs by themselves.
    """

    layers: tuple[str, ...]
    missing: dict[str, str]
    command: tuple[str, ...] = field(repr=False)
    readable: tuple[str, ...] = field(repr=False)
    filters: Filters | None = field(repr=False)
    project: Project | None = None

    @property
    def jailed(self) -> bool:
        """Whether the first process runs under bubblewrap."""
        return "user_namespace" in self.layers


def sites() -> list[str]:
    """Return the folders of installed packages, whose .pth files Python reads when it starts."""
    folders = {*site.getsitepackages(), site.getusersitepackages()}
    return [path for path in sys.path if path in folders]


def environment() -> list[str]:
    """Return where a Python that starts in no folder finds what is installed.

    What else this process finds modules in, by PYTHONPATH or since its script lies there, may be
    anybody's whole home. Each path also with its links followed: a virtual environment can be a
    link.
    """
    found = [sys.prefix, sys.base_prefix, *sites()]
    for file in [file for folder in sites() for file in Path(folder).glob("*.pth")]:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        found += [str(file.parent / line) for line in lines if not line.startswith("import ")]
    return [*found, *map(os.path.realpath, found)]
