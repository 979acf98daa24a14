"""Attempts to outlive the limits or to starve the machine."""

from tests.hostile import hostile

ONE = ((1,), 2)

STARVING = [
    hostile("an endless loop", "TIMEOUT", "def answer(n):\n    while True:\n        pass\n"),
    hostile("an endless loop on loading", "TIMEOUT", "while True:\n    pass\n"),
    hostile(
        "a loop that catches everything",
        "TIMEOUT",
        """
def answer(n):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
""",
        ONE,
    ),
    hostile(
        "a loop with every signal ignored",
        "TIMEOUT",
        """
import signal
def answer(n):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
""",
        ONE,
    ),
    hostile(
        "a loop in C that never lets Python in",
        "TIMEOUT",
        "def answer(n):\n    return sum(iter(int, 1))\n",
        ONE,
    ),
    hostile(
        "a regular expression that backtracks",
        "TIMEOUT",
        "import re\ndef answer(n):\n    return re.match('(a*)*b', 'a' * 60)\n",
        ONE,
    ),
    hostile(
        "sleep",
        "TIMEOUT",
        "import time\ndef answer(n):\n    time.sleep(1000)\n",
        ONE,
        detail="by the clock",
    ),
    hostile("sleep on loading", "TIMEOUT", "import time\ntime.sleep(1000)\n", ONE),
    hostile(
        "waiting for input", "ERROR", "def answer(n):\n    return input()\n", detail="EOFError"
    ),
    hostile(
        "waiting for a signal",
        "TIMEOUT",
        "import signal\ndef answer(n):\n    signal.pause()\n",
        ONE,
    ),
    hostile(
        "stopping itself",
        "TIMEOUT",
        "import os, signal\ndef answer(n):\n    os.kill(os.getpid(), signal.SIGSTOP)\n",
        ONE,
        detail="by the clock",
    ),
    hostile(
        "raising its own limit",
        "ERROR",
        """
import resource
def answer(n):
    resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))
    return 2 * n
""",
    ),
    hostile(
        "lowering its own limit",
        "ERROR",
        """
import resource
def answer(n):
    resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
    return 2 * n
""",
    ),
    hostile(
        "a list that grows for ever",
        "MEMORY|TIMEOUT",
        "def answer(n):\n    a = [0]\n    while True:\n        a += a\n",
        ONE,
    ),
    hostile("ten gigabytes at once", "MEMORY", "def answer(n):\n    return bytearray(10**10)\n"),
    hostile("ten gigabytes on loading", "MEMORY", "kept = 'a' * 10**10\n"),
    hostile(
        "memory mapped by hand",
        "ERROR|MEMORY",
        "import mmap\ndef answer(n):\n    return mmap.mmap(-1, 10**10)\n",
    ),
    hostile(
        "memory full, and the report of it too",
        "MEMORY|CRASH|ERROR",
        """
kept = []
def answer(n):
    size = 1 << 24
    while size:
        try:
            kept.append(bytes(size))
        except MemoryError:
            size //= 2
    raise MemoryError
""",
        ONE,
    ),
    hostile(
        "recursion without end",
        "ERROR",
        "def answer(n):\n    return answer(n)\n",
        detail="RecursionError",
    ),
    hostile(
        "recursion without limit",
        "CRASH|MEMORY|TIMEOUT",
        "import sys\nsys.setrecursionlimit(10**9)\n"
        "def answer(n):\n    return [answer(n)].sort(key=answer)\n",
        ONE,
    ),
    hostile(
        "a fork",
        "ERROR",
        "import os\ndef answer(n):\n    os.fork()\n    return 2 * n\n",
        detail="PermissionError",
    ),
    hostile(
        "a fork bomb",
        "TIMEOUT",
        """
import os
def answer(n):
    while True:
        try:
            os.fork()
        except OSError:
            pass
""",
        ONE,
    ),
    hostile(
        "a thread",
        "ERROR",
        """
import threading
def answer(n):
    threading.Thread(target=print).start()
    return 2 * n
""",
        detail="can't start new thread",
    ),
    hostile("a shell", "ERROR", "import os\ndef answer(n):\n    os.execv('/bin/sh', ['sh'])\n"),
    hostile(
        "a subprocess",
        "ERROR",
        "import subprocess\ndef answer(n):\n    return subprocess.run(['true'])\n",
    ),
    hostile(
        "a megabyte of output, then the result",
        "PASS",
        """
def answer(n):
    for _ in range(1000):
        print('a' * 1000)
    return 2 * n
""",
    ),
    hostile(
        "output without end",
        "TIMEOUT",
        "def answer(n):\n    while True:\n        print('a' * 10_000)\n",
        ONE,
    ),
    hostile(
        "a file too large for the scratch folder",
        "ERROR",
        """
def answer(n):
    with open('large', 'wb') as file:
        while True:
            file.write(bytes(1 << 20))
""",
        ONE,
    ),
    hostile(
        "a million files",
        "ERROR",
        """
def answer(n):
    for number in range(1_000_000):
        open(str(number), 'w').close()
    return 2 * n
""",
        ONE,
        detail="OSError",
    ),
    hostile(
        "a thousand open files",
        "ERROR",
        "import os\nkept = [os.dup(0) for _ in range(1000)]\n",
        detail="Too many open files",
    ),
    hostile(
        "a result of its own file",
        "PASS",
        """
def answer(n):
    with open('note', 'w') as file:
        file.write(str(2 * n))
    with open('note') as file:
        return int(file.read())
""",
    ),
    hostile("a timer", "ERROR", "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\n"),
    hostile(
        "death by its own hand",
        "CRASH",
        "import os\ndef answer(n):\n    os.kill(os.getpid(), 9)\n",
        detail="SIGKILL",
    ),
    hostile(
        "a null pointer",
        "CRASH",
        "import ctypes\ndef answer(n):\n    ctypes.string_at(0)\n",
        detail="SIGSEGV",
    ),
    hostile("abort", "CRASH", "import os\ndef answer(n):\n    os.abort()\n", detail="SIGABRT"),
    hostile(
        "an alarm of its own",
        "CRASH|ERROR",
        "import signal\ndef answer(n):\n    signal.raise_signal(signal.SIGALRM)\n",
    ),
    hostile(
        "a segmentation fault that is handled",
        "TIMEOUT|CRASH",
        "import ctypes, signal\nsignal.signal(signal.SIGSEGV, print)\n"
        "def answer(n):\n    ctypes.string_at(0)\n",
        ONE,
    ),
    hostile(
        "a watchdog thread",
        "ERROR",
        "import faulthandler\nfaulthandler.dump_traceback_later(0.01, exit=True)\n",
    ),
    hostile(
        "a session of its own",
        "ERROR",
        "import os\ndef answer(n):\n    os.setsid()\n    return 2 * n\n",
    ),
    hostile(
        "a deleted file that grows",
        "ERROR",
        """
import os
def answer(n):
    with open("large", "wb") as file:
        os.unlink("large")
        while True:
            file.write(bytes(1 << 16))
""",
        ONE,
    ),
    hostile(
        "links without end",
        "ERROR",
        """
import os
def answer(n):
    open("file", "w").close()
    for number in range(1_000_000):
        os.link("file", f"{n} {number}")
""",
        ONE,
        detail="No space left",
    ),
    hostile(
        "folders without end",
        "ERROR",
        """
import os
def answer(n):
    while True:
        os.mkdir("deeper")
        os.chdir("deeper")
""",
        ONE,
        detail="No space left",
    ),
    hostile(
        "an executable of its own",
        "ERROR",
        """
import os
def answer(n):
    with open("run", "w") as file:
        file.write("#!/bin/sh")
    os.chmod("run", 0o700)
    os.execv("./run", ["run"])
""",
        ONE,
    ),
    hostile(
        "death by a real-time signal",
        "CRASH",
        "import os\ndef answer(n):\n    os.kill(os.getpid(), 40)\n",
        detail="killed by signal 40",
    ),
    hostile(
        "death by its own hand after much work",
        "PASS CRASH",
        """
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
]
