"""Attempts to see, touch or reach what lies outside.

The two tables hold expressions, each of which has to fail. They know what `watched` gives: the
paths CANARY and SOCKET, PORT and PID.
"""

from tests.hostile import LIBC, attacks

HEAD = LIBC + "import multiprocessing, socket, subprocess, sys\n"
"""What all programs of the tables begin with."""

DENIED = r"(Permission|FileNotFound|FileExists|ProcessLookup|OS)Error: "
"""What the detail of their verdicts begins with."""

EITHER = {
    "reading a file": "open(CANARY).read()",
    "overwriting a file": "open(CANARY, 'w')",
    "up from the working folder": "open('../../../..' + CANARY).read()",
    "the password file": "open('/etc/passwd').read()",
    "the folder of all homes": "os.listdir('/home')",
    "its own process": "open('/proc/self/environ').read()",
    "another process's environment": "open(f'/proc/{PID}/environ').read()",
    "the host's temporary files": "open('/tmp/left', 'x')",
    "beside the scratch folder": "open('/coral-scratch2', 'w')",
    "the standard library": "open(os.__file__, 'a')",
    "a symbolic link out": "os.symlink(CANARY, name := '/coral-scratch/x') or open(name).read()",
    "a hard link": "os.link(os.__file__, '/coral-scratch/x')",
    "a device": "os.mknod('/coral-scratch/disk', 0o60600, 65024)",
    "a file in memory": "os.memfd_create('x')",
    "a fork": "os.fork()",
    "a program": "subprocess.run(['/usr/bin/true'])",
    "a shell": "os.execv('/bin/sh', ['sh'])",
    "another interpreter": "os.execv(sys.executable, [sys.executable])",
    "a spawned process": "os.posix_spawn('/usr/bin/true', ['true'], {})",
    "a pool": "multiprocessing.Pool(1)",
    "a connection": "socket.create_connection(('127.0.0.1', PORT), 1)",
    "a listener": "socket.socket().listen()",
    "a socket for datagrams": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "a Unix socket": "socket.socket(socket.AF_UNIX).connect(SOCKET)",
    "a datagram to a Unix socket": (
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'left', SOCKET)"
    ),
    "a descriptor sent": "socket.send_fds(socket.socketpair()[0], [b'x'], [0])",
    "a signal to the first process": "os.kill(1, 9)",
    "a signal to the parent": "os.kill(os.getppid(), 9)",
    "a signal to everything": "os.kill(-1, 9)",
    "a signal to the group": "os.killpg(0, 9)",
    "a signal to the outside": "os.kill(PID, 0)",
    "a thread elsewhere": "refused('tgkill', 1, 1, 9)",
    "a session of its own": "os.setsid()",
    "a new user namespace": "refused('unshare', 0x10000000)",
    "new mounts": "refused('unshare', 0x20000)",
    "a mount": "refused('mount', b'x', b'/coral-scratch', b'tmpfs', 0, None)",
    "a mount over everything": "refused('mount', b'', b'/', b'tmpfs', 0, 0)",
    "another root": "os.chroot('/coral-scratch')",
    "another user": "os.setuid(0)",
    "tracing": "refused('ptrace', 16, 1, 0, 0)",
    "reading another process's memory": "refused('syscall', 310, 1, 0, 0, 0, 0, 0)",
    "writing another process's memory": "refused('syscall', 311, 1, 0, 0, 0, 0, 0)",
    "taking another process's descriptor": "refused('syscall', 438, 3, 0, 0)",
    "a descriptor of another process": "os.pidfd_open(1)",
    "shared memory": "refused('shmget', 1, 4096, 0o1600)",
    "secret memory": "refused('syscall', 447, 0)",
    "faults in user space": "refused('syscall', 323, 1)",
    "a keyring": "refused('syscall', 250, 0, 0)",
    "io_uring": "refused('syscall', 425, 1, 0)",
    "a BPF program": "refused('syscall', 321, 0, 0, 0)",
    "the strictest filter": "refused('syscall', 317, 0, 0, 0)",
    "a new filter": "refused('syscall', 317, 1, 0, 0)",
    "a process by clone": "refused('syscall', 56, 17, 0, 0, 0, 0)",
    "a process by clone3": "refused('syscall', 435, 0, 88)",
    "the clock": "refused('syscall', 227, 0, None)",
    "flushing the host's files": "refused('syscall', 306, 0)",
}
"""What has to fail in the jail of programs and in that of whole projects."""

PROGRAMS = {
    "the tests' own source": f"open({__file__!r}).read()",
    "the root": "os.listdir('/')",
    "the runner": "open(sys.modules['inside.program'].__file__, 'a')",
    "a socket": "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "a socket pair": "socket.socketpair()",
    "a raw thread": "refused('syscall', 56, 0x50F00, 0, 0, 0, 0)",
    "a datagram through the channel": "refused('sendmsg', 4, None, 0)",
}
"""What has to fail in the jail of programs."""

ESCAPING = attacks(
    r"""
#: read the site packages -> ERROR
import os, sys
def answer(n):
    folder = next(entry for entry in sys.path if os.path.isdir(entry))
    if not os.listdir(os.path.join(folder, 'site-packages')):
        raise FileNotFoundError
    return 2 * n
#: import the project -> ERROR -> ModuleNotFoundError
def answer(n):
    import coral_batch
#: read the environment -> FAIL -> 'nothing'
import os
def answer(n):
    return dict(os.environ) or "nothing"
#: read the environment from C -> FAIL -> 'None'
import ctypes
def answer(n):
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    return str(getenv(b"PATH"))
#: see what is open -> FAIL -> returned 4
import os
def answer(n):
    found = []
    for number in range(64):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return len(found)
#: the 32-bit system calls -> CRASH|FAIL
import ctypes, mmap
def answer(n):
    # mov eax, 20 (getpid); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()
#: the 64-bit system calls by their other numbers -> CRASH|FAIL
import ctypes
def answer(n):
    return ctypes.CDLL(None).syscall(0x40000000 + 39)
#: the host's name -> FAIL -> 'jail'
import socket
def answer(n):
    return socket.gethostname()
"""
)
