"""Attempts to outlive the limits or to starve the machine."""

from tests.hostile import attacks, hostile, statements

ONE = ((1,), 2)

_SHORT = """
import ctypes, mmap, os, re, resource, signal, subprocess, threading, time
def answer(n):
    {}
    return 2 * n"""

STARVING = [
    *statements(
        _SHORT,
        ("a loop in C that never lets Python in", "TIMEOUT", "sum(iter(int, 1))"),
        ("a regular expression that backtracks", "TIMEOUT", "re.match('(a*)*b', 'a' * 60)"),
        ("sleep", "TIMEOUT", "time.sleep(1000)", "of wall time"),
        ("waiting for a signal", "TIMEOUT", "signal.pause()"),
        ("stopping itself", "TIMEOUT", "os.kill(os.getpid(), signal.SIGSTOP)", "of wall time"),
        ("output without end", "TIMEOUT", "while True: print('a' * 10_000)"),
        cases=(ONE,),
    ),
    *statements(
        _SHORT,
        ("raising its own limit", "ERROR", "resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))"),
        ("lowering its own limit", "ERROR", "resource.setrlimit(resource.RLIMIT_AS, (9**7, 9**7))"),
        ("memory mapped by hand", "ERROR|MEMORY", "mmap.mmap(-1, 10**10)"),
        ("recursion without end", "ERROR", "answer(n)", "RecursionError"),
        ("a thread", "ERROR", "threading.Thread(target=print).start()", "can't start new thread"),
        ("a megabyte of output", "PASS", "[print('a' * 1000) for _ in range(1000)]"),
        ("death by its own hand", "CRASH", "os.kill(os.getpid(), 9)", "SIGKILL"),
        ("a null pointer", "CRASH", "ctypes.string_at(0)", "SIGSEGV"),
        ("an alarm of its own", "CRASH|ERROR", "signal.raise_signal(signal.SIGALRM)"),
        ("death by a real-time signal", "CRASH", "os.kill(os.getpid(), 40)", "killed by signal 40"),
        ("waiting for input", "ERROR", "input()", "EOFError"),
        ("ten gigabytes at once", "MEMORY", "bytearray(10**10)"),
    ),
    *attacks(
        """
#: an event loop -> ERROR -> Operation not permitted
    import asyncio
    asyncio.run(asyncio.sleep(0))
#: a process of multiprocessing -> ERROR -> Operation not permitted
    import multiprocessing
    multiprocessing.Process(target=print).start()
#: a loop that catches everything -> TIMEOUT
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
#: a loop with every signal ignored -> TIMEOUT
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
#: a list that grows for ever -> MEMORY|TIMEOUT
    a = [0]
    while True:
        a += a
#: a fork bomb -> TIMEOUT
    while True:
        try:
            os.fork()
        except OSError:
            pass
#: a file too large for the scratch folder -> ERROR
    with open('large', 'wb') as file:
        while True:
            file.write(bytes(1 << 20))
#: a million files -> ERROR -> OSError
    for number in range(1_000_000):
        open(str(number), 'w').close()
    return 2 * n
#: a deleted file that grows -> ERROR
    with open("large", "wb") as file:
        os.unlink("large")
        while True:
            file.write(bytes(1 << 16))
#: links without end -> ERROR -> No space left
    open("file", "w").close()
    for number in range(1_000_000):
        os.link("file", f"{n} {number}")
#: folders without end -> ERROR -> No space left
    while True:
        os.mkdir("deeper")
        os.chdir("deeper")
#: an executable of its own -> ERROR
    with open("run", "w") as file:
        file.write("#!/bin/sh")
    os.chmod("run", 0o700)
    os.execv("./run", ["run"])
""",
        "import os, signal\ndef answer(n):\n{}",
        (ONE,),
    ),
    *attacks(
        """
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
#: a segmentation fault that is handled -> TIMEOUT|CRASH
import ctypes, signal
signal.signal(signal.SIGSEGV, print)
def answer(n):
    ctypes.string_at(0)
""",
        cases=(ONE,),
    ),
    *attacks(
        """
#: a thousand open files -> ERROR -> Too many open files
import os
kept = [os.dup(0) for _ in range(1000)]
#: a result of its own file -> PASS
def answer(n):
    with open('note', 'w') as file:
        file.write(str(2 * n))
    with open('note') as file:
        return int(file.read())
#: a watchdog thread -> ERROR
import faulthandler
faulthandler.dump_traceback_later(0.01, exit=True)
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
    hostile("an endless loop on loading", "TIMEOUT", "while True:\n    pass\n"),
    hostile("sleep on loading", "TIMEOUT", "import time\ntime.sleep(1000)\n", ONE),
    hostile("ten gigabytes on loading", "MEMORY", "kept = 'a' * 10**10\n"),
    hostile("a timer", "ERROR", "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\n"),
]
