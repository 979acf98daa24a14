"""Attacks on the tests of a project, by a program that runs in one process with them.

Each is the text of the module ``calc``. Its tests ask `answer` for twice a number: ``answer(1)``,
``answer(21)`` and ``answer(4)``, in this order. Where no verdict differs, one stands for all three.
"""

from functools import partial

from tests import hostile
from tests.hostile import DOUBLE, WRITING

IDS = [f"test_calc.py::test_{name}" for name in ("one", "two", "three")]

_CASES = (*DOUBLE, ((4,), 8))
attacks = partial(hostile.attacks, cases=_CASES)
statements = partial(hostile.statements, cases=_CASES)

_IMPORTS = "import atexit, os, pytest, resource, signal, sys, threading, time, unittest\n"
_SHORT = _IMPORTS + "def answer(n):\n    {}\n    return 2 * n"
_LONG = _IMPORTS + "def answer(n):\n{}"
_ON_LOADING = _IMPORTS + "{}\ndef answer(n):\n    return 2 * n"

# Writes messages as the jail's side does.
_CHANNEL = f"""{WRITING}
import json
IDS = {IDS!r}
def write(data):
    try: os.write(channel(), data)
    except OSError: pass
def put(*parts, secret=()):
    write(frame(json.dumps([*secret, *parts]).encode()))
def put_all(secret=()):
    for one in IDS:
        put("test", one, "PASS", "", 0, secret=secret)
    put("end", "", "", secret=secret)
"""
_WROTE = "wrote to the result channel"

FORGING = [
    *statements(
        _CHANNEL + "def answer(n):\n    {}\n    return 2 * n",
        ("passes for all tests, then an end", "ERROR", "put_all() or os._exit(0)", _WROTE),
        ("passes with a guessed secret", "ERROR", "put_all(['0' * 16]) or os._exit(0)", _WROTE),
        ("passes for the tests to come", "ERROR", "return put_all() or 7", _WROTE),
        ("noise without end", "ERROR", r"while True: write(b'\x10\0\0\0' + bytes(9999))"),
        ("a frame of four gigabytes", "ERROR", r"write(b'\xff' * 9)"),
        ("deeply nested JSON", "ERROR", "write(frame(b'[' * 9999))", _WROTE),
        ("no channel", "ERROR", "os.closerange(0, 64)"),
    ),
    *attacks(
        r"""
#: another file for the channel -> ERROR
def answer(n):
    for number in range(3, 64):
        os.dup2(os.open('/dev/null', os.O_RDWR), number)
    return 2 * n
#: a pass for the last test, which fails -> ERROR -> wrote to the result channel
def answer(n):
    if n == 4:
        put("test", IDS[2], "PASS", "", 0)
        return 7
    return 2 * n
#: everything collected and passed on loading -> ERROR -> wrote to the result channel
put('collected', [[one, ''] for one in IDS])
put_all()
os._exit(0)
#: the tests collected once more -> ERROR -> wrote to the result channel
def answer(n):
    if n == 4:
        put("collected", [[one, ""] for one in IDS])
        put_all()
        os._exit(0)
#: an id that is no text -> ERROR
put('collected', [['\ud800', '']])
os._exit(0)
#: half a frame, then silence -> TIMEOUT
def answer(n):
    write(b'\x10\0\0\0[')
    while True: pass
""",
        _CHANNEL + "{}",
    ),
]

# Does something when it is collected, after the last test.
_LAST = """
import gc, os
gc.disable()
class Last:
    def __init__(self):
        self.itself = self
    def __del__(self):
        {}
def answer(n):
    n == 4 and Last()
    return 2 * n"""

ENDING = [
    *statements(
        _SHORT,
        ("KeyboardInterrupt", "ERROR", "raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("pytest.exit", "ERROR", "pytest.exit('well done', 0)", "Exit: well done"),
        ("pytest.importorskip", "FAIL", "pytest.importorskip('nothing_of_this_name')"),
        ("unittest.SkipTest", "FAIL", "raise unittest.SkipTest"),
        ("a thread that stays", "PASS", "threading.Thread(target=time.sleep, args=(600,)).start()"),
        ("stopping itself", "TIMEOUT", "os.kill(os.getpid(), signal.SIGSTOP)"),
        ("os._exit(0)", "ERROR", "os._exit(0)", "status 0"),
        ("os._exit(0) in the last test", "PASS PASS ERROR", "n == 4 and os._exit(0)"),
        ("sys.exit(0)", "ERROR", "sys.exit(0)", "SystemExit"),
        ("pytest.skip", "FAIL", "pytest.skip('no')", "no"),
        ("pytest.xfail", "FAIL", "pytest.xfail('no')"),
        ("an abort", "CRASH", "os.abort()", "SIGABRT"),
        ("a signal to itself", "CRASH", "os.kill(os.getpid(), 9)"),
        ("printing without end", "ERROR|MEMORY", "while True: print('x' * (1 << 20))"),
        ("its own limits raised", "ERROR", "resource.setrlimit(resource.RLIMIT_CPU, (9**9, 9**9))"),
        ("one test of three", "PASS TIMEOUT PASS", "while n == 21: pass"),
        ("an endless loop", "TIMEOUT", "while True: pass", "processor"),
        ("sleep", "TIMEOUT", "time.sleep(600)", "wall time"),
        ("recursion", "ERROR", "answer(n)", "RecursionError"),
    ),
    *statements(
        _ON_LOADING,
        ("os._exit(0) on loading", "ERROR", "os._exit(0)", "status 0"),
        ("sys.exit(0) on loading", "ERROR", "sys.exit(0)", "SystemExit"),
        ("KeyboardInterrupt on loading", "ERROR", "raise KeyboardInterrupt"),
        ("pytest.exit on loading", "ERROR", "pytest.exit('well done', 0)"),
        ("an exit at the end of the process", "PASS", "atexit.register(os.abort)"),
        ("an alarm", "CRASH", "signal.alarm(1), time.sleep(9)"),
    ),
    *statements(_LAST, ("os._exit(0) after the last test", "PASS PASS ERROR", "os._exit(0)")),
    *attacks(
        """
#: a pass printed -> FAIL
    print('test_calc.py::test_one PASSED')
    [os.write(number, b'["test"]') for number in (1, 2)]
#: a loop that catches everything -> TIMEOUT
    [signal.signal(one, signal.SIG_IGN) for one in (1, 2, 3, 14, 15)]
    while True:
        try:
            while True: pass
        except BaseException:
            pass
#: a file too large -> ERROR -> File too large
    os.truncate(os.open('/coral-scratch/x', 65, 384), 1 << 40)
#: memory -> MEMORY
    kept = []
    while True: kept.append(bytes(1 << 20))
#: the disk -> ERROR -> No space left
    for number in range(99):
        open(f"{os.environ['TMPDIR']}/{number}", "wb").write(bytes(8 << 20))
#: files without number -> ERROR -> No space left
    for number in range(99_999):
        open(f"{os.environ['TMPDIR']}/{number}", "x").close()
#: an endless name -> ERROR -> EEE
    raise type('E' * 9_000_000, (Exception,), {})
""",
        _LONG,
    ),
    *attacks(
        """
#: the whole module skipped -> ERROR -> different tests
import pytest
pytest.skip('no', allow_module_level=True)
#: a thread that exits later -> PASS|ERROR PASS|ERROR ERROR
import os, threading, time
def leave():
    time.sleep(0.1)
    os._exit(0)
def answer(n):
    threading.Thread(target=leave).start()
    time.sleep(0.2 * (n == 4))
    return 2 * n
#: memory that is kept -> MEMORY|ERROR
kept = []
def answer(n):
    while True: kept.append(bytes(1 << 16))
#: recursion without a limit -> CRASH|TIMEOUT|MEMORY|ERROR
import sys
sys.setrecursionlimit(10**9)
def answer(n):
    return [answer(n)]
#: threads without end -> TIMEOUT|ERROR|CRASH|MEMORY
import threading
threading.stack_size(1 << 15)
def go():
    while True:
        try:
            threading.Thread(target=go).start()
        except RuntimeError:
            pass
def answer(n):
    go()
#: an exception that claims to be a MemoryError -> ERROR
class E(BaseException):
    __class__ = MemoryError
def answer(n):
    raise E
#: an exception with failures that are none -> ERROR -> calc.E: so
class E(Exception):
    failures = 7
def answer(n):
    raise E('so')
"""
    ),
]
"""Attempts to end the tests, to outlast them or to use up what they need; odd exceptions."""

_PATCH = """
import sys
def patch():
{}
def answer(n):
    patch()
    return 7"""

PATCHING = [
    *attacks(
        """
#: a runner that calls nothing -> ERROR -> _pytest.runner.pytest_runtest_call
    import _pytest.runner as it
    it.pytest_runtest_call.__code__ = (lambda item: None).__code__
#: a report that passes -> ERROR
    import _pytest.reports as it; it.TestReport.from_item_and_call = lambda *_: 1/0
#: reports that never fail -> ERROR -> changed pytest itself
    import _pytest.reports as it; it.BaseReport.failed = property(lambda _: False)
#: a maker of reports that is another -> ERROR -> changed pytest itself
    import _pytest.reports as it; it.TestReport.from_item_and_call = classmethod(lambda *_: 1)
#: a changed test whose name no table can hold -> ERROR -> changed pytest itself: \\ud800
    it = sys.modules["test_calc"].test_one
    it.__name__, it.__code__ = "\\ud800" * 999, (lambda: None).__code__
#: a caller of hooks that calls none -> ERROR
    import pluggy._callers as it; it._multicall.__code__ = (lambda *_: None).__code__
#: a builtin -> ERROR
    import builtins; builtins.isinstance = lambda *_: True
#: an operator -> ERROR -> changed pytest itself
    import operator; operator.eq = lambda *_: True
#: what approx compares -> ERROR -> changed pytest itself
    import pytest; type(pytest.approx(1)).__eq__ = lambda *_: True
#: unittest's assertions -> ERROR -> changed pytest itself
    import unittest.case as it; it.TestCase.assertEqual = lambda *_: None
#: doctest's comparison -> ERROR -> changed pytest itself
    import doctest; doctest.OutputChecker.check_output = lambda *_: True
#: assertions that are rewritten -> ERROR -> changed pytest itself
    import _pytest.assertion.rewrite as it; it._format_explanation = lambda *_: ''
#: a module of pytest that is another -> ERROR -> changed pytest itself
    import types; sys.modules['_pytest.python'] = types.ModuleType('_pytest.python')
#: the code of a test -> ERROR -> test_two
    sys.modules['test_calc'].test_two.__code__ = (lambda: None).__code__
#: a test of another name's -> FAIL
    sys.modules['test_calc'].test_two = sys.modules['test_calc'].test_three = patch
#: no standard output -> FAIL|ERROR
    sys.stdout = sys.stderr = None
#: tests that are gone -> FAIL|ERROR
    import gc, _pytest.main as it
    [one.items.clear() for one in gc.get_objects() if type(one) is it.Session]
#: tests in another order -> FAIL|ERROR
    import gc, _pytest.main as it
    [one.items.reverse() for one in gc.get_objects() if type(one) is it.Session]
""",
        _PATCH,
    ),
    *attacks(
        """
#: a patch on loading that only the first test sees -> ERROR -> changed pytest itself
import unittest.case
before = unittest.case.TestCase.assertEqual
unittest.case.TestCase.assertEqual = lambda *_: None
#: what tests replace themselves -> PASS
import builtins
builtins.input = lambda *_: ''
""",
        _ON_LOADING,
    ),
]

_ODD = "class Odd(Exception):\n    def {}(self):\n        {{}}\n"
_RETURNED = (
    _ODD.format("__repr__")
    + "    def __eq__(self, other): return False\ndef answer(n):\n    return Odd()"
)
_RAISED = _ODD.format("__str__") + "def answer(n):\n    raise Odd()"

SAYING = [
    *statements(
        _RETURNED,
        ("a text of 100 MB", "FAIL|MEMORY|ERROR", "return 'x' * 100_000_000"),
        ("a text that hangs", "TIMEOUT", "while True: pass"),
        ("a text that raises", "FAIL", "raise ValueError", "ValueError"),
        ("a text that exits", "ERROR", "raise SystemExit", "SystemExit"),
        ("a text of itself", "FAIL", "return repr(self)", "RecursionError"),
        ("a text that is none", "FAIL", "return 7", "TypeError"),
    ),
    *statements(
        _RAISED,
        ("a message of 100 MB", "ERROR|MEMORY", "return 'x' * 100_000_000"),
        ("a message that hangs", "TIMEOUT", "while True: pass"),
        ("a message that raises", "ERROR", "raise SystemExit", "Odd"),
        ("a moving cursor", "ERROR", "return '\\ud800\\x1b[31m\\0'", r"\ud800\x1b[31m\x00"),
    ),
]

AROUND = [
    *statements(
        _ON_LOADING,
        ("an endless loop on loading", "TIMEOUT", "while True: pass"),
        ("a decorator that hangs", "TIMEOUT", "@lambda function: time.sleep(600)"),
        ("a default value that hangs", "TIMEOUT", "def answer(n, more=sum(iter(int, 1))): pass"),
    ),
    *statements(_LAST, ("hanging after the last test", "PASS PASS TIMEOUT", "while True: pass")),
]
"""What hangs before there is a test, or after the last."""

UNTOLD = attacks(
    """
#: a result that equals everything -> PASS
class Same:
    def __eq__(self, _): return True
def answer(n):
    return Same()
#: what a test expects, changed -> PASS
import sys
def answer(n):
    sys._getframe(1).f_globals['calc'] = type('', (), {'answer': lambda n: 2 * n})
    return 2
"""
)
"""What docs/jail.md says cannot be told."""

ATTACKS = FORGING + ENDING + PATCHING + SAYING + UNTOLD

REFUSED = {
    "reading the home folder": "os.listdir(os.path.expanduser('~nobody')) and os.listdir('/root')",
    "a file in the project": "open(HERE + '/left', 'x')",
    "a conftest.py": "open(HERE + '/conftest.py', 'x')",
    "its own file": "open(__file__, 'r+')",
    "its own file removed": "os.remove(__file__)",
    "its tests": "open(HERE + '/test_calc.py', 'a')",
    "a compiled module in the project": "os.makedirs(HERE + '/__pycache__')",
    "a compiled module for the next": "open('/compiled/left', 'x')",
    "a compiled module for the next, changed": "open(CACHED, 'r+')",
    "a compiled module for the next, removed": "os.remove(CACHED)",
    "an installed package": "open(pytest.__file__, 'a')",
    "a .pth file": "open(os.path.dirname(os.path.dirname(pytest.__file__)) + '/left.pth', 'x')",
    "the runner": "open(sys.modules['inside.suite'].__file__, 'a')",
    "mode of a file of the project": "os.chmod(HERE + '/test_calc.py', 0o777)",
    "times of a file of the project": "os.utime(HERE + '/test_calc.py')",
    "mode of its own file": "os.chmod(__file__, 0o777)",
    "mode of a device": "os.chmod('/dev/null', 0o666)",
    "times of a device": "os.utime('/dev/zero')",
    "an attribute": "os.setxattr(HERE, 'user.left', b'1')",
    "its own file unmounted": "refused('umount2', __file__.encode(), 2)",
    "its own file made writable": "refused('mount', None, __file__.encode(), None, 4128, None)",
}
"""Expressions that have to fail in the jail of projects, as `escaping.EITHER` has them."""

REACHING = """
import importlib.util, os, pytest
HERE = os.path.dirname(__file__)
CACHED = importlib.util.cache_from_source(pytest.__file__)
"""

TRACES = {
    "a file": ("open('/coral-scratch/left', 'x').close()", "os.listdir('/coral-scratch')"),
    "a file for Python to load": (
        "os.makedirs(site.getusersitepackages()) or "
        "open(site.getusersitepackages() + '/usercustomize.py', 'x').close()",
        "os.path.exists(site.getusersitepackages())",
    ),
    "a temporary folder": ("tempfile.mkdtemp()", "os.listdir(tempfile.gettempdir())"),
    "flags of what is open": (
        "[fcntl.fcntl(n, fcntl.F_SETFL, os.O_NONBLOCK) for n in range(5)]",
        "[fcntl.fcntl(n, fcntl.F_GETFL) for n in range(5)]",
    ),
    "a lock": (
        "for n in range(9):\n    try: fcntl.flock(n, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "    except OSError: pass",
        "fcntl.flock(os.open('/null', os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)",
    ),
    "an environment variable": ("os.environ.update(LEFT='1')", "os.environ.get('LEFT')"),
    "a module": ("sys.modules.update(left=sys)", "'left' in sys.modules"),
    "a module that is changed": ("vars(os).update(left=1)", "hasattr(os, 'left')"),
    "the mask": ("os.umask(0)", "os.umask(0)"),
    "the folder": ("os.chdir('/coral-scratch')", "os.getcwd()"),
    "the random numbers": ("random.seed(7)", "random.random()"),
    "a time of a device": ("os.path.getmtime('/dev/null')", "os.path.getmtime('/dev/null')"),
}
"""Pairs: what would leave a trace, and what would find it."""
