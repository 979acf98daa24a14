"""Attempts to see, touch or reach what lies outside.

Each program gets ``(path, port, pid)``: of a canary file, a listening TCP port and a sibling
process. The expected result is what an escape would return, so an escape would be a PASS.
"""

from tests.hostile import attacks, hostile

CANARY = "the canary's secret"
_C = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def refused(call, *arguments):
    result = getattr(libc, call)(*arguments)
    return result if result != -1 else "refused"
"""
_CASE = (("PATH", "PORT", "PID"), CANARY)


def _escape(name: str, code: str, kinds: str = "ERROR", detail: str = ""):
    return hostile(name, kinds, code, _CASE, detail=detail)


ESCAPING = [
    _escape(
        "read the tests' own source",
        f"def answer(path, port, pid):\n    return open({__file__!r}).read()\n",
    ),
    *attacks(
        r"""
#: read the password file -> ERROR
def answer(path, port, pid):
    return open('/etc/passwd').read()
#: read the site packages -> ERROR
import os, sys
def answer(path, port, pid):
    folder = next(entry for entry in sys.path if os.path.isdir(entry))
    if not os.listdir(os.path.join(folder, 'site-packages')):
        raise FileNotFoundError
    return path and "the canary's secret"
#: import the project -> ERROR -> ModuleNotFoundError
def answer(path, port, pid):
    import coral_batch
#: read the environment -> FAIL -> 'nothing'
import os
def answer(path, port, pid):
    return dict(os.environ) or "nothing"
#: read another process -> ERROR
def answer(path, port, pid):
    return open('/proc/%d/environ' % pid).read()
#: see what is open -> FAIL -> returned 4
import os
def answer(path, port, pid):
    found = []
    for number in range(64):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return len(found)
#: connect to a TCP port -> ERROR
import socket
def answer(path, port, pid):
    socket.create_connection(('127.0.0.1', port), 1)
    return "the canary's secret"
#: listen on loopback -> ERROR
import socket
def answer(path, port, pid):
    socket.socket().listen()
    return "the canary's secret"
#: a Unix socket -> ERROR
import socket
def answer(path, port, pid):
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    return "the canary's secret"
#: a socket pair -> ERROR
import socket
def answer(path, port, pid):
    socket.socketpair()
    return "the canary's secret"
#: signal a sibling -> ERROR
import os
def answer(path, port, pid):
    os.kill(pid, 0)
    return "the canary's secret"
#: write beside the scratch folder -> ERROR
def answer(path, port, pid):
    open('/scratch2', 'w')
#: overwrite the standard library -> ERROR
import os
def answer(path, port, pid):
    open(os.__file__, 'a')
    return "the canary's secret"
#: overwrite the runner -> ERROR
import sys
def answer(path, port, pid):
    open(sys.modules['inside.program'].__file__, 'a')
#: a symbolic link out -> ERROR
import os
def answer(path, port, pid):
    os.symlink(path, 'link')
    return open('link').read()
#: a hard link out -> ERROR
import os
def answer(path, port, pid):
    os.link(os.__file__, 'link')
    return "the canary's secret"
#: up from the working directory -> ERROR
def answer(path, port, pid):
    return open('../../../..' + path).read()
#: the 32-bit system calls -> CRASH|FAIL
import ctypes, mmap
def answer(path, port, pid):
    # mov eax, 20 (getpid); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()
#: the host's name -> FAIL -> 'jail'
import socket
def answer(path, port, pid):
    return socket.gethostname()
""",
        cases=(_CASE,),
    ),
    *attacks(
        """
#: read the environment from C -> FAIL -> 'None'
def answer(path, port, pid):
    libc.getenv.restype = ctypes.c_char_p
    return str(libc.getenv(b"CORAL_CANARY"))
#: send a datagram through the channel -> FAIL -> 'refused'
def answer(path, port, pid):
    return refused("sendmsg", 4, None, 0)
#: a new user namespace -> FAIL -> 'refused'
def answer(path, port, pid):
    return refused('unshare', 0x10000000)
#: a mount -> FAIL -> 'refused'
def answer(path, port, pid):
    return refused('mount', b'', b'/', b'tmpfs', 0, 0)
#: tracing -> FAIL -> 'refused'
def answer(path, port, pid):
    return refused('ptrace', 16, 1, 0, 0)
#: shared memory -> FAIL -> 'refused'
def answer(path, port, pid):
    return refused('shmget', 1, 4096, 0o1600)
#: a keyring -> FAIL -> 'refused'
def answer(path, port, pid):
    return refused('syscall', 250, 0, 0)
#: io_uring -> FAIL -> 'refused'
def answer(path, port, pid):
    return refused('syscall', 425, 1, 0)
#: the 64-bit system calls by their other numbers -> CRASH|FAIL
def answer(path, port, pid):
    return refused('syscall', 0x40000000 + 39)
#: a BPF program -> FAIL -> 'refused'
def answer(path, port, pid):
    return refused('syscall', 321, 0, 0, 0)
""",
        _C + "{}",
        (_CASE,),
    ),
    _escape("read a file", "def answer(path, port, pid):\n    return open(path).read()\n"),
    _escape(
        "list the root", "import os\ndef answer(path, port, pid):\n    return os.listdir('/')\n"
    ),
    _escape(
        "read /proc", "def answer(path, port, pid):\n    return open('/proc/self/environ').read()\n"
    ),
    _escape(
        "kill the jail's first process",
        "import os\ndef answer(path, port, pid):\n    os.kill(1, 9)\n",
    ),
    _escape(
        "kill the parent", "import os\ndef answer(path, port, pid):\n    os.kill(os.getppid(), 9)\n"
    ),
    _escape("kill everything", "import os\ndef answer(path, port, pid):\n    os.kill(-1, 9)\n"),
    _escape("kill the group", "import os\ndef answer(path, port, pid):\n    os.killpg(0, 9)\n"),
    _escape("write to /tmp", "def answer(path, port, pid):\n    open('/tmp/x', 'w')\n"),
    _escape("overwrite a file", "def answer(path, port, pid):\n    open(path, 'w')\n"),
    _escape(
        "a device",
        "import os\ndef answer(path, port, pid):\n    os.mknod('disk', 0o60600, 65024)\n",
    ),
    _escape("a memory file", "import os\ndef answer(path, port, pid):\n    os.memfd_create('x')\n"),
    *(
        _escape(
            name,
            _C + f"def answer(path, port, pid):\n    return refused('syscall', {call})\n",
            "FAIL",
            detail="'refused'",
        )
        for name, call in (
            ("writing another process's memory", "311, 1, 0, 0, 0, 0, 0"),
            ("taking another process's descriptor", "438, 3, 0, 0"),
            ("a descriptor of another process", "434, 1, 0"),
            ("faults in user space", "323, 1"),
            ("secret memory", "447, 0"),
            ("a new seccomp filter", "317, 0, 0, 0"),
            ("a raw thread", "56, 0x50F00, 0, 0, 0, 0"),
            ("a new kind of fork", "435, 0, 88"),
        )
    ),
    _escape("changing the user", "import os\ndef answer(path, port, pid):\n    os.setuid(0)\n"),
    _escape(
        "changing the root", "import os\ndef answer(path, port, pid):\n    os.chroot('/scratch')\n"
    ),
]
