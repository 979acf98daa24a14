"""System calls of the jail that Python's standard library does not wrap.

Numbers and structures are from the kernel's user-space headers; Landlock's numbers are the same on
every architecture.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
from collections.abc import Iterable
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long

ADDR_NO_RANDOMIZE = 0x0040000
_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
# No set-user-id, devices or executables; no access times, which would reveal reads.
_MS_FLAGS = 2 | 4 | 8 | 1024
_MS_BIND = 4096
_MS_REMOUNT_BIND = 32 | _MS_BIND
_MS_PRIVATE = 16384 | 1 << 18  # recursive
_MNT_DETACH = 2
_CLONE_NEWNS = 0x20000
_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_ADD_RULE = 445
_LANDLOCK_RESTRICT_SELF = 446
_LANDLOCK_RULE_PATH_BENEATH = 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_FILE = 1 << 1 | _READ_FILE


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
    """A seccomp program, ready to be enforced.

    Everything that `enforce` needs is prepared: after a fork every page written costs a fault, and
    Python writes even to objects it only reads.
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
        """Enforce the filter, with this process's id in it, for good."""
        if self._own_pid_at:
            own = os.getpid()
            for word in self._own_pid_at:
                self._words[word] = own
        if self._prctl(*self._arguments):
            raise OSError(ctypes.get_errno(), "seccomp")


def no_new_privileges() -> None:
    """Give up gaining privileges by executing files; seccomp and Landlock require it."""
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, *_long(1, 0, 0, 0)), "no_new_privs")


def fixed_addresses() -> str:
    """Return why this process's addresses are random; empty if they are not."""
    found = _libc.personality(ctypes.c_ulong(0xFFFFFFFF))
    refused = found < 0 or not found & ADDR_NO_RANDOMIZE
    return "personality(ADDR_NO_RANDOMIZE) is refused" if refused else ""


def exit_when_parent_dies(parent: int) -> None:
    """Be killed when the parent dies; exit at once if it is already dead."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, *_long(9, 0, 0, 0)), "pdeathsig")
    if os.getppid() != parent:
        os._exit(1)


def mount_scratch(path: str, size: int, inodes: int) -> None:
    """Mount an empty tmpfs of at most `size` bytes and `inodes` files."""
    options = f"size={size},nr_inodes={inodes},mode=700".encode()
    flags = ctypes.c_ulong(_MS_FLAGS)
    _check(_libc.mount(b"tmpfs", path.encode(), b"tmpfs", flags, options), "mount")


def own_mounts() -> None:
    """Give this process its own mounts; other processes do not see its later mounts."""
    _check(_libc.unshare(_CLONE_NEWNS), "unshare")
    _check(_libc.mount(None, b"/", None, ctypes.c_ulong(_MS_PRIVATE), None), "mount")


def mount_file(content: bytes, path: str, through: str) -> None:
    """Mount a read-only file with other content and another time over a file.

    Args:
        content: the new content.
        path: the file.
        through: an empty folder for a temporary mount.
    """
    mount_scratch(through, len(content) + (1 << 16), 8)
    file = f"{through}/file"
    with open(file, "xb") as stream:  # noqa: PTH123 (once for each candidate)
        stream.write(content)
    # Not the file's own time, so that Python does not use its compiled module.
    seconds = 2 if int(os.stat(path).st_mtime) == 1 else 1  # noqa: PTH116 (likewise)
    os.utime(file, (seconds, seconds))
    os.chmod(file, 0o444)  # noqa: PTH101
    flags = ctypes.c_ulong(_MS_BIND)
    _check(_libc.mount(file.encode(), path.encode(), None, flags, None), "mount")
    make_read_only(path)
    _check(_libc.umount2(through.encode(), _MNT_DETACH), "umount")


def make_read_only(path: str) -> None:
    """Keep everyone, root included, from changing mode, owner or times of the mount at `path`.

    A device can still be written to.
    """
    # Flags set outside the jail must stay.
    kept = os.statvfs(path).f_flag & (os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC)
    flags = ctypes.c_ulong(_MS_REMOUNT_BIND | os.ST_RDONLY | kept)
    _check(_libc.mount(None, path.encode(), None, flags, None), "mount")


def take_as_standard(descriptor: int) -> None:
    """Use a descriptor as standard input, output and error."""
    for standard in range(3):
        os.dup2(descriptor, standard)
    os.close(descriptor)


def drop_capabilities() -> None:
    """Give up all capabilities (capset, version 3)."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(data)), "capset")


def address_space() -> int:
    """Return this process's address space in bytes, found by trying, since there is no /proc."""
    low, high = 0, 1 << 46
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    while high - low > mmap.PAGESIZE:
        middle = (low + high) // 2
        resource.setrlimit(resource.RLIMIT_AS, (middle, hard))
        try:
            mmap.mmap(-1, mmap.PAGESIZE).close()
            high = middle
        except OSError:
            low = middle
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    return high


class Ruleset:
    """Landlock rules: files can be read and written only beneath the given paths.

    From ABI 4 on TCP is denied too, from ABI 6 on abstract sockets and signals to the outside.

    Raises:
        OSError: the kernel has no Landlock, or it is disabled.
    """

    def __init__(self, readable: Iterable[str], writable: Iterable[str]) -> None:
        version = _check(_syscall(_LANDLOCK_CREATE_RULESET, None, _long(0)[0], 1), "landlock")
        rights = 13 if version == 1 else 14 if version == 2 else 15 if version < 5 else 16
        self._everything = (1 << rights) - 1
        attributes = _RulesetAttributes(
            self._everything, 3 if version >= 4 else 0, 3 if version >= 6 else 0
        )
        (size,) = _long(24 if version >= 6 else 16 if version >= 4 else 8)
        self._descriptor = _check(
            _syscall(_LANDLOCK_CREATE_RULESET, ctypes.byref(attributes), size, 0), "landlock"
        )
        for path in readable:
            self._add(path, _READ_FILE | _READ_DIR)
        for path in writable:
            self.allow_writing(path)

    def allow_writing(self, path: str) -> None:
        """Allow everything beneath a folder, or reads and writes of a file."""
        self._add(path, self._everything)

    def _add(self, path: str, access: int) -> None:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        # A rule for a single file may name fewer rights.
        allowed = access if Path(path).is_dir() else access & _FILE
        rule = ctypes.byref(_PathBeneath(allowed, descriptor))
        _check(
            _syscall(_LANDLOCK_ADD_RULE, self._descriptor, _LANDLOCK_RULE_PATH_BENEATH, rule, 0),
            "landlock",
        )
        os.close(descriptor)

    def enforce(self) -> None:
        """Enforce the rules for this process and its children, for good."""
        _check(_syscall(_LANDLOCK_RESTRICT_SELF, self._descriptor, 0), "landlock")
        os.close(self._descriptor)


def _long(*values: int) -> list[ctypes.c_ulong]:
    return [ctypes.c_ulong(value) for value in values]


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result
