"""Attempts to leave something behind that the next program, another jail or the host would see.

`CHANGES` are expressions that would change what is shared with others, or make the kernel work for
it. `TRACES` are pairs: what would leave a trace, and what would find it.
"""

_LIBRARY = "os.open(os.__file__, 0)"
_MAPPED = f"mmap.mmap({_LIBRARY}, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ)"

CHANGES = {
    "mode of an open file": "os.fchmod(1, 0o1666)",
    "mode of a path": "os.chmod('.', 0o777)",
    "mode of a path, from C": "refused('chmod', b'.', 0o777)",
    "mode, by the newest call": "refused('syscall', 452, -100, b'.', 0o777, 0)",
    "owner of an open file": "os.fchown(1, -1, -1)",
    "owner of a path": "os.chown('.', -1, -1)",
    "times of an open file": "os.utime(1)",
    "times of an open file, from C": "refused('futimens', 1, None)",
    "times of a path": "os.utime('.')",
    "times of a link": "os.utime('.', follow_symlinks=False)",
    "times of a path, by the first call": "refused('syscall', 132, b'.', None)",
    "times of a path, by the second call": "refused('syscall', 235, b'.', None)",
    "times of a path, by the third call": "refused('syscall', 261, -100, b'.', None)",
    "an attribute": "os.setxattr('.', 'user.left', b'1')",
    "an attribute of an open file": "os.setxattr(1, 'user.left', b'1')",
    "flags of a file": "refused('ioctl', 1, 0x40086602, None)",
    "flags of what is open": "fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)",
    "flags of what is open, by ioctl": "refused('ioctl', 0, 0x5421, None)",
    "who is told": "fcntl.fcntl(0, fcntl.F_SETOWN, 1)",
    "a lock": "fcntl.flock(0, fcntl.LOCK_EX)",
    "a lock on a range": "fcntl.lockf(0, fcntl.LOCK_EX)",
    "a lease": "fcntl.fcntl(0, fcntl.F_SETLEASE, fcntl.F_RDLCK)",
    "a flush": f"os.fsync({_LIBRARY})",
    "a flush of data": f"os.fdatasync({_LIBRARY})",
    "a flush of everything": "refused('syscall', 306, 0)",
    "a flush of what is mapped": "refused('msync', ctypes.c_void_p(), 4096, 4)",
    "a size by a path": "os.truncate('.', 0)",
    "a size by opening to read": "os.open('x', os.O_CREAT | os.O_TRUNC)",
    "a file without a name": "os.open('.', os.O_TMPFILE | os.O_RDWR)",
    "reading past the page cache": "os.open(os.__file__, os.O_DIRECT)",
    "advice on a file": f"os.posix_fadvise({_LIBRARY}, 0, 0, os.POSIX_FADV_DONTNEED)",
    "advice on what is mapped": f"{_MAPPED}.madvise(mmap.MADV_WILLNEED)",
    "reading ahead": f"refused('readahead', {_LIBRARY}, 0, 4096)",
    "what of a file is in memory": "refused('mincore', ctypes.c_void_p(), 0, None)",
    "a pipe": "os.pipe()",
    "a wake-up across processes": "refused('syscall', 202, ctypes.create_string_buffer(4), 1, 1)",
    "the machine's load": "refused('syscall', 99, ctypes.create_string_buffer(128))",
}

TRACES = {
    # What every child inherits is open only once, for all of them.
    "written": ("os.write(2, b'left')", "os.lseek(2, 0, 0) or os.read(2, 9)"),
    "position": ("os.lseek(0, 7, 0)", "os.lseek(0, 0, 1)"),
    "accesses": ("os.listdir('.')", "os.stat('.').st_atime_ns"),
    "accesses of the library": (f"os.read({_LIBRARY}, 9)", "os.stat(os.__file__).st_atime_ns"),
    "files": ("os.mkdir('left') or os.rmdir('left')", "os.stat('.').st_mtime_ns"),
    "mask": ("os.umask(0)", "os.umask(0)"),
    "folder": ("os.chdir('/')", "os.getcwd()"),
}
