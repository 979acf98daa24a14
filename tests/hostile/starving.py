"""Attempts to outlive the limits or to starve the machine."""

from tests.hostile import attacks, hostile

ONE = ((1,), 2)

STARVING = [
    *attacks(
        """
#: a loop that catches everything -> TIMEOUT
def answer(n):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
#: a loop with every signal ignored -> TIMEOUT
import signal
def answer(n):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
#: a loop in C that never lets Python in -> TIMEOUT
def answer(n):
    return sum(iter(int, 1))
#: a regular expression that backtracks -> TIMEOUT
import re
def answer(n):
    return re.match('(a*)*b', 'a' * 60)
#: sleep -> TIMEOUT -> by the clock
import time
def answer(n):
    time.sleep(1000)
#: waiting for a signal -> TIMEOUT
import signal
def answer(n):
    signal.pause()
#: stopping itself -> TIMEOUT -> by the clock
import os, signal
def answer(n):
    os.kill(os.getpid(), signal.SIGSTOP)
#: memory full, and the report of it too -> MEMORY|CRASH|ERROR
kept = []
def answer(n):
    size = 1 << 24
    while size:
        try:
            kept.append(bytes(size))
        except MemoryError:
            size //= 2
    raise MemoryError
#: recursion without limit -> CRASH|MEMORY|TIMEOUT
import sys
sys.setrecursionlimit(10**9)
def answer(n):
    return [answer(n)].sort(key=answer)
#: a fork bomb -> TIMEOUT
import os
def answer(n):
    while True:
        try:
            os.fork()
        except OSError:
            pass
#: output without end -> TIMEOUT
def answer(n):
    while True:
        print('a' * 10_000)
#: a file too large for the scratch folder -> ERROR
def answer(n):
    with open('large', 'wb') as file:
        while True:
            file.write(bytes(1 << 20))
#: a million files -> ERROR -> OSError
def answer(n):
    for number in range(1_000_000):
        open(str(number), 'w').close()
    return 2 * n
#: a segmentation fault that is handled -> TIMEOUT|CRASH
import ctypes, signal
signal.signal(signal.SIGSEGV, print)
def answer(n):
    ctypes.string_at(0)
#: a deleted file that grows -> ERROR
import os
def answer(n):
    with open("large", "wb") as file:
        os.unlink("large")
        while True:
            file.write(bytes(1 << 16))
#: links without end -> ERROR -> No space left
import os
def answer(n):
    open("file", "w").close()
    for number in range(1_000_000):
        os.link("file", f"{n} {number}")
#: folders without end -> ERROR -> No space left
import os
def answer(n):
    while True:
        os.mkdir("deeper")
        os.chdir("deeper")
#: an executable of its own -> ERROR
import os
def answer(n):
    with open("run", "w") as file:
        file.write("#!/bin/sh")
    os.chmod("run", 0o700)
    os.execv("./run", ["run"])
""",
        cases=(ONE,),
    ),
    *attacks(
        """
#: raising its own limit -> ERROR
import resource
def answer(n):
    resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))
    return 2 * n
#: lowering its own limit -> ERROR
import resource
def answer(n):
    resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
    return 2 * n
#: memory mapped by hand -> ERROR|MEMORY
import mmap
def answer(n):
    return mmap.mmap(-1, 10**10)
#: recursion without end -> ERROR -> RecursionError
def answer(n):
    return answer(n)
#: a fork -> ERROR -> PermissionError
import os
def answer(n):
    os.fork()
    return 2 * n
#: a thread -> ERROR -> can't start new thread
import threading
def answer(n):
    threading.Thread(target=print).start()
    return 2 * n
#: a subprocess -> ERROR
import subprocess
def answer(n):
    return subprocess.run(['true'])
#: a megabyte of output, then the result -> PASS
def answer(n):
    for _ in range(1000):
        print('a' * 1000)
    return 2 * n
#: a thousand open files -> ERROR -> Too many open files
import os
kept = [os.dup(0) for _ in range(1000)]
#: a result of its own file -> PASS
def answer(n):
    with open('note', 'w') as file:
        file.write(str(2 * n))
    with open('note') as file:
        return int(file.read())
#: death by its own hand -> CRASH -> SIGKILL
import os
def answer(n):
    os.kill(os.getpid(), 9)
#: a null pointer -> CRASH -> SIGSEGV
import ctypes
def answer(n):
    ctypes.string_at(0)
#: an alarm of its own -> CRASH|ERROR
import signal
def answer(n):
    signal.raise_signal(signal.SIGALRM)
#: a watchdog thread -> ERROR
import faulthandler
faulthandler.dump_traceback_later(0.01, exit=True)
#: death by a real-time signal -> CRASH -> killed by signal 40
import os
def answer(n):
    os.kill(os.getpid(), 40)
#: death by its own hand after much work -> PASS CRASH
import os, time
def answer(n):
    start = time.process_time()
    while time.process_time() < start + 0.2:
        pass
    if n == 21:
        os.kill(os.getpid(), 9)
    return 2 * n
""",
    ),
    hostile("an endless loop", "TIMEOUT", "def answer(n):\n    while True:\n        pass\n"),
    hostile("an endless loop on loading", "TIMEOUT", "while True:\n    pass\n"),
    hostile("sleep on loading", "TIMEOUT", "import time\ntime.sleep(1000)\n", ONE),
    hostile(
        "waiting for input", "ERROR", "def answer(n):\n    return input()\n", detail="EOFError"
    ),
    hostile(
        "a list that grows for ever",
        "MEMORY|TIMEOUT",
        "def answer(n):\n    a = [0]\n    while True:\n        a += a\n",
        ONE,
    ),
    hostile("ten gigabytes at once", "MEMORY", "def answer(n):\n    return bytearray(10**10)\n"),
    hostile("ten gigabytes on loading", "MEMORY", "kept = 'a' * 10**10\n"),
    hostile("a shell", "ERROR", "import os\ndef answer(n):\n    os.execv('/bin/sh', ['sh'])\n"),
    hostile("a timer", "ERROR", "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\n"),
    hostile("abort", "CRASH", "import os\ndef answer(n):\n    os.abort()\n", detail="SIGABRT"),
    hostile(
        "a session of its own",
        "ERROR",
        "import os\ndef answer(n):\n    os.setsid()\n    return 2 * n\n",
    ),
]
