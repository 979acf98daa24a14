"""The first process of a jail: a lean interpreter that forks one jailed child a request.

`main` receives requests from the judge alone and never reads what a child writes, and its memory
holds nothing of any program: a child gets its program over a socket of its own.

What it does not do: keep time or kill. The judge gets a pidfd of every child that does not end at
once.
"""

from __future__ import annotations

import gc
import importlib
import marshal
import os
import resource
import select
import socket
import struct
import sys
from typing import Any, NoReturn

from . import encoding, kernel, program
from .channel import Channel

# Loaded here so that programs that import them find them loaded.
_USUAL = ("bisect", "collections", "copy", "functools", "heapq", "itertools", "math", "operator",
          "string", "typing")  # fmt: skip

_STATUS = struct.Struct("<iq??")
_QUICK = 30  # milliseconds that a child has before the judge gets the means to kill it


def main(descriptor: int) -> None:
    """Set the jail up as the judge's first message says, then fork children until it hangs up."""
    control = socket.socket(fileno=descriptor)
    setup = marshal.loads(control.recv(1 << 18))
    os.environ.clear()
    # From here on the path of this package is of use to nobody.
    del sys.path[0]
    for name in _USUAL:
        importlib.import_module(name)
    ready = _enter(setup)
    _warm_up()
    control.send(marshal.dumps(ready))
    scratch = setup["scratch"]
    untouched = _state(scratch)
    own = os.getpid()
    child = _Child(control, setup, own)
    gc.collect()
    gc.disable()
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 64, 1)
        if not message:
            return
        pid = os.fork()
        if pid == 0:
            child.become(message, descriptors[0])
        os.close(descriptors[0])
        pidfd = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        quick = bool(poll.poll(_QUICK))
        if not quick:
            socket.send_fds(control, [b"running"], [pidfd])
        _, status, usage = os.wait4(pid, 0)
        os.close(pidfd)
        if not setup["filters"] and own == 1:
            _reap()
        nanoseconds = int((usage.ru_utime + usage.ru_stime) * 1e9)
        clean = _state(scratch) == untouched
        control.send(_STATUS.pack(status, nanoseconds, clean, quick))


def _enter(setup: dict[str, Any]) -> dict[str, Any]:
    """Put in force what holds for all children; return what is in force."""
    kernel.no_new_privileges()
    if setup["die_with_parent"]:
        kernel.die_with(os.getppid())
    if setup["scratch"]:
        kernel.mount_scratch(setup["scratch"], setup["scratch_bytes"], setup["scratch_files"])
        os.chdir(setup["scratch"])
    kernel.drop_capabilities()
    os.umask(0o077)
    for name, value in setup["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    landlock = ""
    try:
        kernel.landlock(setup["readable"], [setup["scratch"]] if setup["scratch"] else [])
    except OSError as error:
        landlock = str(error)
    if setup["filters"]:
        kernel.Filter(setup["filters"][0]).enforce()
    return {"landlock": landlock}


class _Child:
    """What a forked process does to become a jailed one."""

    def __init__(self, control: socket.socket, setup: dict[str, Any], parent: int) -> None:
        self._control = control
        self._die_with_parent = setup["die_with_parent"]
        self._parent = parent
        self._filter = None
        if setup["filters"]:
            _, code, self._own_pid_at = setup["filters"]
            self._filter = kernel.Filter(code)

    def become(self, message: bytes, descriptor: int) -> NoReturn:
        """Give up everything but the channel, then run what the message names."""
        try:
            role, cpu = marshal.loads(message)
            self._control.close()
            if self._die_with_parent:
                kernel.die_with(self._parent)
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
            run = program.main
            if role == "referee":
                from .referee import main as run  # noqa: PLC0415 (few problems need it)
            if self._filter is not None:
                own = os.getpid()
                for offset in self._own_pid_at:
                    self._filter.patch(offset, own)
                self._filter.enforce()
            gc.enable()
            run(Channel(descriptor))
        finally:
            os._exit(0)


def _reap() -> None:
    """Kill and collect whatever a child left in the jail (possible only without seccomp)."""
    try:
        os.kill(-1, 9)
        while True:
            os.wait4(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def _state(scratch: str) -> tuple[int, int] | None:
    """Fingerprint of the scratch folder: any write, removal or chmod moves its change time."""
    if not scratch:
        return None
    status = os.stat(scratch)  # noqa: PTH116 (once for every program)
    return status.st_mtime_ns, status.st_ctime_ns


def _warm_up() -> None:
    """Run once what every child runs, so that lazily made state is shared, not made again."""
    space: dict[str, Any] = {}
    exec(compile("def f(a):\n    return [x for x in a if x]\n", "warm.py", "exec"), space)
    encoding.encode([space["f"]([1, 2]), 1.5, "a", (None,), {"a": {1}}])
    encoding.decode([[0], ["l", 1]])
