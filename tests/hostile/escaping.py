"""Attempts to see, touch or reach what lies outside.

Each program gets ``(path, port, pid)``: of a canary file, a listening TCP port and a sibling
process. The expected result is what an escape would return, so an escape would be a PASS.
"""

from tests.hostile import CANARY, attacks, hostile

_CASE = (("PATH", "PORT", "PID"), CANARY)
_HEAD = f"""
import ctypes, os, socket, sys
def refused(call, *arguments):
    result = getattr(ctypes.CDLL(None, use_errno=True), call)(*arguments)
    return result if result != -1 else "refused"
def answer(path, port, pid):
    return {{}} or {CANARY!r}
"""

# Expressions that have to raise.
_ERRORS = {
    "read the tests' own source": f"not open({__file__!r}).read()",
    "read the password file": "not open('/etc/passwd').read()",
    "read another process": "not open('/proc/%d/environ' % pid).read()",
    "read a file": "open(path).read()",
    "list the root": "not os.listdir('/')",
    "read /proc": "not open('/proc/self/environ').read()",
    "connect to a TCP port": "not socket.create_connection(('127.0.0.1', port), 1)",
    "listen on loopback": "socket.socket().listen()",
    "a Unix socket": "not socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "a socket pair": "not socket.socketpair()",
    "signal a sibling": "os.kill(pid, 0)",
    "kill the jail's first process": "os.kill(1, 9)",
    "kill the parent": "os.kill(os.getppid(), 9)",
    "kill everything": "os.kill(-1, 9)",
    "kill the group": "os.killpg(0, 9)",
    "write beside the scratch folder": "not open('/scratch2', 'w')",
    "write to /tmp": "not open('/tmp/x', 'w')",
    "overwrite a file": "not open(path, 'w')",
    "overwrite the standard library": "not open(os.__file__, 'a')",
    "overwrite the runner": "not open(sys.modules['inside.program'].__file__, 'a')",
    "a symbolic link out": "os.symlink(path, 'link') or open('link').read()",
    "a hard link out": "os.link(os.__file__, 'link')",
    "up from the working directory": "open('../../../..' + path).read()",
    "a device": "os.mknod('disk', 0o60600, 65024)",
    "a memory file": "not os.memfd_create('x')",
    "changing the user": "os.setuid(0)",
    "changing the root": "os.chroot('/scratch')",
}

# Calls of the C library that the kernel has to refuse.
_REFUSED = {
    "send a datagram through the channel": "'sendmsg', 4, None, 0",
    "a new user namespace": "'unshare', 0x10000000",
    "a mount": "'mount', b'', b'/', b'tmpfs', 0, 0",
    "tracing": "'ptrace', 16, 1, 0, 0",
    "shared memory": "'shmget', 1, 4096, 0o1600",
    "a keyring": "'syscall', 250, 0, 0",
    "io_uring": "'syscall', 425, 1, 0",
    "a BPF program": "'syscall', 321, 0, 0, 0",
    "writing another process's memory": "'syscall', 311, 1, 0, 0, 0, 0, 0",
    "taking another process's descriptor": "'syscall', 438, 3, 0, 0",
    "a descriptor of another process": "'syscall', 434, 1, 0",
    "faults in user space": "'syscall', 323, 1",
    "secret memory": "'syscall', 447, 0",
    "a new seccomp filter": "'syscall', 317, 0, 0, 0",
    "a raw thread": "'syscall', 56, 0x50F00, 0, 0, 0, 0",
    "a new kind of fork": "'syscall', 435, 0, 88",
}

ESCAPING = [
    *(hostile(name, "ERROR", _HEAD.format(tried), _CASE) for name, tried in _ERRORS.items()),
    *(
        hostile(name, "FAIL", _HEAD.format(f"refused({call})"), _CASE, detail="'refused'")
        for name, call in _REFUSED.items()
    ),
    *attacks(
        r"""
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
#: read the environment from C -> FAIL -> 'None'
import ctypes
def answer(path, port, pid):
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    return str(getenv(b"CORAL_CANARY"))
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
#: the 32-bit system calls -> CRASH|FAIL
import ctypes, mmap
def answer(path, port, pid):
    # mov eax, 20 (getpid); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()
#: the 64-bit system calls by their other numbers -> CRASH|FAIL
import ctypes
def answer(path, port, pid):
    return ctypes.CDLL(None).syscall(0x40000000 + 39)
#: the host's name -> FAIL -> 'jail'
import socket
def answer(path, port, pid):
    return socket.gethostname()
""",
        cases=(_CASE,),
    ),
]
