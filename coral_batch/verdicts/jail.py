"""A jail: a jailed first process that forks a fresh child for every run.

This is the judge's side. It starts the first process under bubblewrap, gives each child its own
socket, measures time and kills through a pidfd. A jail whose scratch folder was touched is
replaced, so that no program finds traces of another.

`cases` and `compare` judge the answers.
"""

from __future__ import annotations

import contextlib
import ctypes
import marshal
import math
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from coral_batch.errors import CoralError
from coral_batch.records.verdict import Kind
from coral_batch.verdicts.clock import Clock
from coral_batch.verdicts.inside.kernel import ADDR_NO_RANDOMIZE
from coral_batch.verdicts.inside.zygote import REQUEST, STATUS

SCRATCH = "/coral-scratch"  # a name that no machine has: what lies below it is hidden
NULL = "/null"
FRAME_BYTES = 4_000_000
EXITED = "exited with status"
"""Start of the detail if a program exited, before the status."""
_SCRATCH_BYTES = 16 << 20
_SCRATCH_FILES = 256
_GRACE = 20.0  # seconds for the jail's own work: starting, forking, reaping
_GRACE_IMPORTING = 120.0  # the same, if it must import a project's packages

Filters = tuple[bytes, bytes, tuple[int, ...]]
"""The seccomp filters as BPF: one for the first process and all its children, one more for each
child, and the offsets in the second where the child's process id goes."""


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


class JailError(Exception):
    """The jail itself failed, through no fault of a program."""


@dataclass(frozen=True)
class Ending:
    """How a child ended.

    Attributes:
        status: its exit status, or minus the signal that killed it.
        cpu_seconds: the processor time it used.
    """

    status: int
    cpu_seconds: float


class Stop(Exception):
    """The process is dead or cannot answer: kind and detail for the current case."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind: Kind = kind
        self.detail = detail


class Jail:
    """A context manager that keeps one jail running.

    Args:
        isolation: how jails are started here.
        memory_mb: address space of each process in the jail, MiB.

    Attributes:
        missing: layers that turned out not to be in force, with the reason.
    """

    def __init__(self, isolation: Isolation, memory_mb: int = 512) -> None:
        self._isolation = isolation
        self._memory = memory_mb << 20
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self.missing: dict[str, str] = {}

    def __enter__(self) -> Jail:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the jail and everything in it."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            try:
                self._process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                raise JailError(f"process {self._process.pid} survived SIGKILL") from None
            self._process = None

    def child(self, role: int, seconds: float, first: bytes) -> Child:
        """Fork a child.

        Args:
            role: `PROGRAM` or `REFEREE`.
            seconds: processor time after which the kernel kills it, whatever the judge does.
            first: the first frame for it.

        Raises:
            JailError: the jail does not start or does not answer.
        """
        if self._control is None:
            self._start()
        control = self.control
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:
            raise JailError(f"no socket for a child: {error}") from None
        child = Child(self, ours, seconds)
        with theirs:
            # Sent before the fork, so that the child need not wait; the rest follows later.
            child.send(first)
            try:
                request = REQUEST.pack(role, math.ceil(seconds) + 1)
                socket.send_fds(control, [request], [theirs.fileno()])
            except OSError as error:
                ours.close()
                self.close()
                raise JailError(f"the jail does not answer: {error}") from None
        return child

    def await_message(self) -> int | Ending:
        """Wait for a message about the child: a pidfd if it is slow, then its end.

        Only `Child` calls it.

        Raises:
            JailError: the jail does not answer or has ended.
        """
        control = self.control
        try:
            message, descriptors, _, _ = socket.recv_fds(control, 64, 1)
            if descriptors:
                return descriptors[0]
            status, nanoseconds, clean = STATUS.unpack(message)
        except (OSError, struct.error) as error:
            self.close()
            raise JailError(f"the jail does not answer: {error}") from None
        if not clean:
            self.close()
        return Ending(os.waitstatus_to_exitcode(status), nanoseconds * 1e-9)

    @property
    def control(self) -> socket.socket:
        """The socket for messages about children.

        Raises:
            JailError: the jail has ended.
        """
        if self._control is None:
            raise JailError("the jail has ended")
        return self._control

    def _limits(self, size: int) -> dict[str, int]:
        """Return the limits of each process in the jail, by their names in `resource`.

        Args:
            size: bytes of the scratch folder.

        Raises:
            CoralError: a hard limit of this process is lower.
        """
        project = self._isolation.project is not None
        limits = {
            # A project's memory limit is set by `inside/suite.py`, on top of imported packages.
            **({} if project else {"RLIMIT_AS": self._memory}),
            "RLIMIT_FSIZE": size,
            "RLIMIT_NOFILE": 256 if project else 64,
            # Counts all of the user's processes, except in a user namespace.
            **({"RLIMIT_NPROC": 64 if project else 16} if self._isolation.jailed else {}),
            "RLIMIT_CORE": 0,
            "RLIMIT_STACK": 8 << 20,
            "RLIMIT_MEMLOCK": 0,
            "RLIMIT_MSGQUEUE": 0,
        }
        for name, value in limits.items():
            hard = resource.getrlimit(getattr(resource, name))[1]
            if hard != resource.RLIM_INFINITY and hard < value:
                raise CoralError(
                    "a hard limit is too low for the jail",
                    field=f"hard limit {name}",
                    found=str(hard),
                    expected=f"at least {value}",
                    action="start it from a shell without this limit (ulimit -H), or let an"
                    " administrator raise it",
                )
        return limits

    def _start(self) -> None:
        isolation = self._isolation
        jailed = isolation.jailed
        size, files = _SCRATCH_BYTES, _SCRATCH_FILES
        if isolation.project:
            size, files = 4 * size, 64 * files
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(_GRACE_IMPORTING if isolation.project else _GRACE)
        number = theirs.fileno()
        limits = self._limits(size)
        with tempfile.TemporaryFile() as errors, _fixed_addresses():
            self._process = subprocess.Popen(
                [*isolation.command, str(number)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=[number],
                env={"PYTHONHASHSEED": "0"},
                cwd="/",
                start_new_session=True,
            )
            theirs.close()
            self._control = ours
            setup = {
                "die_with_parent": not jailed,
                "scratch": SCRATCH if jailed else "",
                "null": NULL if jailed else "",
                "scratch_bytes": size,
                "scratch_files": files,
                "readable": isolation.readable,
                "landlock": "landlock" in isolation.layers,
                "project": isolation.project and isolation.project | {"memory": self._memory},
                "filters": isolation.filters,
                "limits": limits,
            }
            try:
                ours.send(marshal.dumps(setup))
                ready = marshal.loads(ours.recv(4096))
            except (OSError, EOFError, ValueError):
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip().splitlines()
                self.close()
                raise JailError(said[-1] if said else "the first process ended") from None
        self.missing |= {layer: why for layer, why in ready.items() if why}


class Child:
    """One jailed process; a context manager that kills and reaps it on exit.

    The jail reports when a child has ended, or passes a pidfd if it takes longer. So a quick
    program costs one wake-up: all its output is read at its end.

    The judge waits for a child only in `receive`, with a clock. It also waits for the jail, but no
    program can delay that.

    Attributes:
        seconds: processor time after which the kernel kills it.
    """

    def __init__(self, jail: Jail, channel: socket.socket, seconds: float) -> None:
        self.seconds = seconds
        self._jail = jail
        self._channel = channel
        self._buffer = bytearray()
        self._unsent = bytearray()
        self._pidfd = -1
        self._ending: Ending | None = None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def send(self, data: bytes) -> None:
        """Send one frame without blocking; `receive` sends the rest."""
        self._unsent += len(data).to_bytes(4, "little") + data
        self._write()

    def settle(self) -> None:
        """Wait until the child ends or turns out to be slow.

        Raises:
            JailError: the jail failed, and the child with it.
        """
        try:
            news = self._jail.await_message()
        except JailError:
            self._forget()
            raise
        if isinstance(news, int):
            self._pidfd = news
        else:
            self._ended(news)

    def receive(self, clock: Clock, what: str = "result") -> bytes:
        """Return the next frame.

        A child that closed its side may use the remaining time to end.

        Args:
            clock: the clock of the limits; it runs while this waits.
            what: the expected answer, for the detail.

        Raises:
            Stop: there is none.
        """
        closed = False
        with clock:
            while (frame := self._frame(what)) is None:
                if self._ending is not None:
                    raise self._early(self._ending)
                if closed:
                    if _poll(self._jail.control, select.POLLIN, clock.slice()):
                        self.settle()
                else:
                    events = select.POLLIN | (select.POLLOUT if self._unsent else 0)
                    ready = _poll(self._channel, events, clock.slice())
                    if ready & select.POLLOUT:
                        self._write()
                    closed = bool(ready & ~select.POLLOUT) and not self._read()
                # The limit also holds for a frame that trickles in or out.
                if clock.due() and (which := clock.expired(self._kill_switch())) is not None:
                    self.stop()
                    raise Stop("TIMEOUT", f"no {what} after {which}")
            return frame

    def _early(self, ending: Ending) -> Stop:
        """Return why the child ended without another frame."""
        if ending.status >= 0:
            return Stop("ERROR", f"{EXITED} {ending.status} before returning a result")
        if ending.status == -signal.SIGKILL and ending.cpu_seconds >= self.seconds:
            seconds = f"{ending.cpu_seconds:.0f} s of processor time"
            return Stop("TIMEOUT", f"no result after {seconds}")
        return Stop("CRASH", f"killed by {_signal_name(-ending.status)}")

    def stop(self) -> Ending:
        """Kill the child if it still runs, reap it and return how it ended."""
        self._channel.close()
        while self._ending is None:
            if self._pidfd >= 0:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            self.settle()
        return self._ending

    def _kill_switch(self) -> int:
        """Return the pidfd; -1 if the child has ended meanwhile."""
        if self._pidfd < 0 and self._ending is None:
            self.settle()
        return self._pidfd

    def _frame(self, what: str) -> bytes | None:
        """Take a whole frame from the bytes read so far; None if it is incomplete.

        Raises:
            Stop: the frame is invalid or too large.
        """
        if len(self._buffer) < 4:
            return None
        end = 4 + int.from_bytes(self._buffer[:4], "little")
        if end > FRAME_BYTES:
            self.stop()
            if what == "result":
                raise Stop("FAIL", "returned a result that is too large")
            raise Stop("ERROR", "sent a message that is too large")
        if len(self._buffer) < end:
            return None
        frame = bytes(self._buffer[4:end])
        del self._buffer[:end]
        return frame

    def _write(self) -> None:
        """Send as much as the socket takes; nothing if the child no longer reads."""
        if self._ending is not None:
            return
        try:
            sent = self._channel.send(self._unsent, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except (BrokenPipeError, ConnectionResetError):
            sent = len(self._unsent)
        del self._unsent[:sent]

    def _read(self) -> bool:
        """Read the available bytes; False at the end of the stream."""
        try:
            data = self._channel.recv(1 << 18, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except ConnectionResetError:
            data = b""
        self._buffer += data
        return bool(data)

    def _forget(self) -> None:
        """Close the pidfd."""
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1

    def _ended(self, ending: Ending) -> None:
        self._ending = ending
        self._forget()
        if self._channel.fileno() >= 0:
            while self._read():
                pass
            self._channel.close()


def _signal_name(number: int) -> str:
    """Return a signal's name; most real-time signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _poll(channel: socket.socket, events: int, seconds: float) -> int:
    """Wait for events; return those that occurred, 0 after a timeout."""
    poll = select.poll()
    poll.register(channel, events)
    found = poll.poll(seconds * 1000)
    return found[0][1] if found else 0


@contextlib.contextmanager
def _fixed_addresses() -> Iterator[None]:
    """Start processes without address randomisation, so that sets of objects keep their order.

    If that is refused, the jail's first process reports it.
    """
    personality = ctypes.CDLL(None).personality
    personality.argtypes = (ctypes.c_ulong,)
    before = personality(0xFFFFFFFF)
    personality(before | ADDR_NO_RANDOMIZE)
    try:
        yield
    finally:
        personality(before)
