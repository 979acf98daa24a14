"""The few system calls of the jail that Python's standard library does not wrap.

Numbers and structures are those of the kernel's user-space headers; Landlock's numbers are the
same on every architecture.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long

_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
# No set-user-id, devices or executables; and no access times, which would tell of reading.
_MS_FLAGS = 2 | 4 | 8 | 1024
_MS_REMOUNT_BIND = 32 | 4096
_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_ADD_RULE = 445
_LANDLOCK_RESTRICT_SELF = 446
_LANDLOCK_RULE_PATH_BENEATH = 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent", ctypes.c_int32))


class Filter:
    """A seccomp program, ready to be put in force.

    Everything that `enforce` needs is made beforehand: after a fork every page that is written to
    costs a fault, and Python writes to what it merely looks at.
    """

    def __init__(self, code: bytes, own_pid_at: Iterable[int] = ()) -> None:
        buffer = ctypes.create_string_buffer(code, len(code))
        self._words = memoryview(buffer).cast("B").cast("I")
        self._own_pid_at = [offset // 4 for offset in own_pid_at]
        self._program = _Program(len(code) // 8, ctypes.addressof(buffer))
        self._prctl = _libc.prctl
        self._arguments = (
            ctypes.c_int(_PR_SET_SECCOMP),
            ctypes.c_ulong(_SECCOMP_MODE_FILTER),
            ctypes.pointer(self._program),
            ctypes.c_ulong(0),
            ctypes.c_ulong(0),
        )

    def enforce(self) -> None:
        """Put the filter, with this process's id in it, in force for ever."""
        if self._own_pid_at:
            own = os.getpid()
            for word in self._own_pid_at:
                self._words[word] = own
        if self._prctl(*self._arguments):
            raise OSError(ctypes.get_errno(), "seccomp")


def no_new_privileges() -> None:
    """Give up gaining privileges by executing files; seccomp and Landlock require it."""
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, *_long(1, 0, 0, 0)), "no_new_privs")


def exit_when_parent_dies(parent: int) -> None:
    """Be killed when the parent dies; returns at once dead if it has died already."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, *_long(9, 0, 0, 0)), "pdeathsig")
    if os.getppid() != parent:
        os._exit(1)


def mount_scratch(path: str, size: int, inodes: int) -> None:
    """Mount an empty tmpfs of at most `size` bytes and `inodes` files."""
    options = f"size={size},nr_inodes={inodes},mode=700".encode()
    flags = ctypes.c_ulong(_MS_FLAGS)
    _check(_libc.mount(b"tmpfs", path.encode(), b"tmpfs", flags, options), "mount")


def make_read_only(path: str) -> None:
    """Let nobody change the mode, owner or times of what is mounted at `path`, for root either.

    A device can be written to nevertheless.
    """
    # Flags that the mount has from outside have to stay.
    kept = os.statvfs(path).f_flag & (os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC)
    flags = ctypes.c_ulong(_MS_REMOUNT_BIND | os.ST_RDONLY | kept)
    _check(_libc.mount(None, path.encode(), None, flags, None), "mount")


def drop_capabilities() -> None:
    """Give up all capabilities (capset, version 3)."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(data)), "capset")


def landlock(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Deny this process and its children, for ever, all but reading and writing beneath paths.

    From ABI 4 on TCP is denied too, from ABI 6 on abstract sockets and signals to the outside.

    Raises:
        OSError: the kernel has no Landlock, or it is switched off.
    """
    version = _check(_syscall(_LANDLOCK_CREATE_RULESET, None, _long(0)[0], 1), "landlock")
    rights = 13 if version == 1 else 14 if version == 2 else 15 if version < 5 else 16
    everything = (1 << rights) - 1
    attributes = _RulesetAttributes(everything, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    (size,) = _long(24 if version >= 6 else 16 if version >= 4 else 8)
    ruleset = _check(
        _syscall(_LANDLOCK_CREATE_RULESET, ctypes.byref(attributes), size, 0), "landlock"
    )
    for paths, access in ((readable, _READ_FILE | _READ_DIR), (writable, everything)):
        for path in paths:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            # The rights that a rule for a single file may name are fewer.
            allowed = access if Path(path).is_dir() else access & _READ_FILE
            rule = ctypes.byref(_PathBeneath(allowed, descriptor))
            _check(
                _syscall(_LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_RULE_PATH_BENEATH, rule, 0),
                "landlock",
            )
            os.close(descriptor)
    _check(_syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0), "landlock")
    os.close(ruleset)


def _long(*values: int) -> list[ctypes.c_ulong]:
    return [ctypes.c_ulong(value) for value in values]


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result
