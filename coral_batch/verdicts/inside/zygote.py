"""The first process of a jail: a lean interpreter that forks one jailed child per request.

`main` only receives the judge's requests and never reads a child's output. Its memory holds nothing
of any program: each child gets its program over its own socket.

The judge measures time and kills: it gets a pidfd of every child that does not end at once.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import marshal
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from . import encoding, kernel, program

# Loaded here so that programs that import them find them loaded.
_USUAL = ("bisect", "collections", "copy", "functools", "heapq", "itertools", "math", "operator",
          "random", "string", "typing")  # fmt: skip

# A request: the kind of child, and the processor seconds after which the kernel kills it. An
# answer: exit status, processor nanoseconds, and whether the scratch folder is untouched.
REQUEST = struct.Struct("<ii")
STATUS = struct.Struct("<iq?")
PROGRAM, REFEREE, REPEAT = range(3)

_ENDS = (1, 2, 3)  # exited, killed, dumped; not stopped
_QUICK = 0.03  # seconds before the judge gets a pidfd to kill the child


def main(descriptor: int) -> None:
    """Set up the jail by the judge's first message, then fork children until it hangs up."""
    control = socket.socket(fileno=descriptor)
    setup = marshal.loads(control.recv(1 << 18))
    os.environ.clear()
    # This package's path is not needed any more.
    del sys.path[0]
    for name in _USUAL:
        importlib.import_module(name)
    if setup["project"]:
        _import_project(setup)
    else:
        _warm_up()
    null = _open_null(setup["null"])
    ready = _enter(setup)
    # Replace the judge's standard streams: children could read in them what others wrote.
    kernel.take_as_standard(null)
    control.send(marshal.dumps(ready))
    scratch = setup["scratch"]
    untouched = _state(scratch)
    own = os.getpid()
    if setup["project"]:
        from . import suite  # noqa: PLC0415 (needs pytest)

        become, fork = suite.becoming(control.fileno(), setup), os.fork
    else:
        # The C library's fork: Python's prepares for threads, which costs each child 25 pages.
        become, fork = _becoming(control.fileno(), setup, own), ctypes.PyDLL(None).fork
    gc.collect()
    gc.disable()
    gc.freeze()
    # After a fork every written page costs a fault, here and in the child, so this loop touches few
    # objects. SIGCHLD stays blocked and is waited for.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGCHLD,))
    ended = (int(signal.SIGCHLD),)
    space = socket.CMSG_SPACE(4)
    while True:
        message, ancillary, _, _ = control.recvmsg(64, space)
        if not message:
            return
        descriptor = int.from_bytes(ancillary[0][2][:4], sys.byteorder)
        role, seconds = REQUEST.unpack(message)
        pid = fork()
        if pid == 0:
            become(role, descriptor)
        # Set in the parent, which copies no pages for it. The child may have started already; this
        # limit only matters if the judge dies.
        resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds))
        os.close(descriptor)
        news = signal.sigtimedwait(ended, _QUICK)
        quick = news is not None and news.si_code in _ENDS
        if not quick:
            _hand_over(control, pid)
        _, status, usage = os.wait4(pid, 0)
        if not quick:
            signal.sigtimedwait(ended, 0)
        if not setup["filters"] and own == 1:
            _reap()
        nanoseconds = int((usage.ru_utime + usage.ru_stime) * 1e9)
        clean = _state(scratch) == untouched
        control.send(STATUS.pack(status, nanoseconds, clean))


def _hand_over(control: socket.socket, pid: int) -> None:
    """Pass the judge a pidfd to read the child's clock and kill it."""
    pidfd = os.pidfd_open(pid)
    socket.send_fds(control, [b"running"], [pidfd])
    os.close(pidfd)


def _import_project(setup: dict[str, Any]) -> None:
    """Import what a project's tests need, with the module paths of Python outside the jail."""
    import site  # noqa: PLC0415 (other jails have no packages)

    # Some packages write when they are imported. Each child mounts a scratch folder of its own.
    kernel.mount_scratch(setup["scratch"], setup["scratch_bytes"], setup["scratch_files"])
    project = setup["project"]
    os.environ.update(project["environment"])
    for folder in project["sites"]:
        site.addsitedir(folder)
    os.chdir(project["folder"])
    from . import suite  # noqa: PLC0415 (needs pytest)

    suite.prepare(project)


def _enter(setup: dict[str, Any]) -> dict[str, Any]:
    """Enforce the layers that hold for all children; return those that failed.

    A child that runs a project's tests first mounts its own scratch folder and drops the rights for
    that afterwards; see `suite`.
    """
    addresses = kernel.fixed_addresses()
    kernel.no_new_privileges()
    if setup["die_with_parent"]:
        kernel.exit_when_parent_dies(os.getppid())
    os.umask(0o022)  # as usual; nobody else sees the scratch folder
    for name, value in setup["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    if setup["project"]:
        kernel.mount_scratch(
            setup["project"]["compiled"], setup["scratch_bytes"], setup["scratch_files"]
        )
        return {"fixed_addresses": addresses}
    if setup["scratch"]:
        kernel.mount_scratch(setup["scratch"], setup["scratch_bytes"], setup["scratch_files"])
        # File times have ticks of a few milliseconds; reset them so that no change is missed.
        os.utime(setup["scratch"], (0, 0))
        os.chdir(setup["scratch"])
    kernel.drop_capabilities()
    landlock = ""
    try:
        scratch = [setup["scratch"]] if setup["scratch"] else []
        kernel.Ruleset(setup["readable"], scratch).enforce()
    except OSError as error:
        landlock = str(error)
    if setup["filters"]:
        kernel.Filter(setup["filters"][0]).enforce()
    return {"landlock": landlock, "fixed_addresses": addresses}


def _open_null(path: str) -> int:
    """Open the jail's null device, mounted so that its mode and times cannot be changed.

    Without own mounts, use the judge's: it is on the host's mount, where its owner may change them.
    """
    if not path:
        return os.dup(0)
    kernel.make_read_only(path)
    return os.open(path, os.O_RDWR)


def _becoming(control: int, setup: dict[str, Any], parent: int) -> Callable[[int, int], NoReturn]:
    """Return the function that turns a forked process into a jailed one.

    It has everything prepared: after a fork each object touched costs a page.
    """
    die_with_parent = setup["die_with_parent"]
    enforce = kernel.Filter(*setup["filters"][1:]).enforce if setup["filters"] else int
    runners = program.main, _referee, program.repeat
    close, leave = os.close, os._exit
    collect = gc.enable

    def become(role: int, descriptor: int) -> NoReturn:
        """Drop everything but the channel, then run the role's function."""
        try:
            close(control)
            if die_with_parent:
                kernel.exit_when_parent_dies(parent)
            enforce()
            collect()
            runners[role](descriptor)
        finally:
            leave(0)

    return become


def _referee(channel: int) -> None:
    from .referee import main  # noqa: PLC0415 (few problems need it)

    main(channel)


def _reap() -> None:
    """Kill and reap processes that a child left in the jail (possible only without seccomp)."""
    try:
        os.kill(-1, 9)
        while True:
            os.wait4(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def _state(scratch: str) -> tuple[int, int] | None:
    """Return the scratch folder's times; any write, removal or chmod changes them."""
    if not scratch:
        return None
    status = os.stat(scratch)  # noqa: PTH116 (once for every program)
    return status.st_mtime_ns, status.st_ctime_ns


_WARM = """
class Warm:
    def __init__(self, value):
        self.value = value
def warm(items, *rest, key=None):
    found = {item: [str(item) for item in items if item > 1] for item in items}
    while found and key is None:
        try:
            key = Warm(found.popitem()[1])
        except (KeyError, ValueError):
            raise
    total = sum(item for item in items)
    return sorted(items), (1.5, "a", None, True), {"a": {1}}, f"{key.value}", total
"""


def _warm_up() -> None:
    """Do what a child does, several times.

    Then all children share Python's lazily created state and specialised code.
    """
    frame = marshal.dumps(("warm", _WARM, {}, [marshal.dumps(([1, 2, 3],))] * 4, False))
    for _ in range(20):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(len(frame).to_bytes(4, "little") + frame)
            program.main(theirs.fileno())
    del sys.modules["warm"]
    encoding.decode([[0], ["l", 1]])
