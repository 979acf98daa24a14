"""How a jail is started on this machine: what `layers` finds out and `jail` goes by."""

from __future__ import annotations

from dataclasses import dataclass, field

SCRATCH = "/scratch"
NULL = "/null"
PACKAGES = "/packages"


@dataclass(frozen=True)
class Filters:
    """The seccomp filters as BPF.

    Attributes:
        shared: for the first process and all its children.
        child: for each child on top of that.
        own_pid_at: offsets in `child` where the child's process id belongs.
    """

    shared: bytes
    child: bytes
    own_pid_at: tuple[int, ...]


@dataclass(frozen=True)
class Isolation:
    """How jails are started on this machine.

    Attributes:
        layers: the layers in force, in the order of `layers.LAYERS`.
        missing: layer -> why it is not in force.
        command: the command line that starts the jail's first process; the number of its control
            descriptor is appended.
        readable: the paths that Landlock leaves readable.
        packages: whether there is a folder of packages beside the standard library.
        filters: the seccomp filters; None when seccomp is not in force.
    """

    layers: tuple[str, ...]
    missing: dict[str, str]
    command: tuple[str, ...] = field(repr=False)
    readable: tuple[str, ...] = field(repr=False)
    filters: Filters | None = field(repr=False)
    packages: bool = False

    @property
    def jailed(self) -> bool:
        """Whether the first process runs under bubblewrap."""
        return "user_namespace" in self.layers
