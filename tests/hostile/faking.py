"""Attempts to write one's own verdict without the channel, and programs that merely fail."""

from tests.hostile import attacks, hostile, statements

FAKING = [
    *statements(
        "import os, sys\ndef answer(n):\n    {}\n    return 2 * n",
        ("the runner's own exception", "FAIL", "raise sys.modules['inside.encoding'].TooLarge"),
        ("one bad case among good ones", "CRASH PASS", "n == 1 and os.abort()", "SIGABRT"),
        ("one case that exits", "ERROR PASS", "n == 1 and os._exit(0)", "status 0"),
        ("one case that hangs", "TIMEOUT PASS", "while n == 1: pass"),
        ("sys.exit()", "ERROR", "sys.exit()", "SystemExit"),
        ("KeyboardInterrupt", "ERROR", "raise KeyboardInterrupt"),
    ),
    *attacks(
        r"""
#: an exception with a message of 50 MB -> ERROR -> ValueError: aaa
raise ValueError('a' * 50_000_000)
#: an exception with an endless name -> ERROR -> EEE
raise type('E' * 9_000_000, (Exception,), {})
#: a message that no table can hold -> ERROR -> ValueError: \udcff\x00\x1b[31m
raise ValueError('\udcff\0\x1b[31m')
""",
        "import os, sys\ndef answer(n):\n    {}\n    return 2 * n",
    ),
    *attacks(
        """
#: a patched runner that returns wrong values -> FAIL
sys.modules["inside.program"].call = lambda *arguments: '["value",0,[7]]'
#: a runner without its parts -> ERROR
for name in list(sys.modules):
    if name.startswith("inside"):
        sys.modules[name].__dict__.clear()
#: a patched sys.exit and os._exit -> PASS
os._exit = sys.exit = lambda *arguments: None
#: a clock that lies -> PASS
sys.modules["inside.program"].thread_time_ns = lambda: 10**30
#: an import hook that exits -> PASS
class Finder:
    def find_spec(self, name, path, target=None):
        raise SystemExit
sys.meta_path.insert(0, Finder())
#: a trace that exits in the runner -> ERROR
def trace(frame, event, argument):
    if event == "return" and frame.f_code.co_name != "answer":
        raise SystemExit
    return trace
sys.settrace(trace)
#: itself under another name -> PASS
assert __name__ == 'answer' and 'answer' in sys.modules
#: a garbage collector that raises -> PASS
gc.callbacks.append(lambda *_: 1 / 0)
gc.set_threshold(1)
#: an exception behind an exit hook -> PASS
atexit.register(os.abort)
""",
        "import atexit, gc, os, sys\n{}\ndef answer(n):\n    return 2 * n",
    ),
    *attacks(
        """
#: patched builtins -> FAIL|ERROR
for name in ("type", "issubclass", "isinstance", "len", "id", "int", "range", "callable"):
    setattr(builtins, name, lambda *arguments: True)
#: a patched json -> FAIL
json.dumps = json.loads = lambda *arguments, **options: ["value", 0, [2]]
#: a patched runner that reports a pass -> ERROR
sys.modules["inside.encoding"].encode = lambda *arguments: ('"PASS",true', [])
#: every module replaced -> FAIL
class Fake:
    def __getattr__(self, name):
        return lambda *arguments, **options: "[2]"
for name in set(sys.modules) - {"sys", "builtins", "answer"}:
    sys.modules[name] = Fake()
""",
        "import builtins, json, sys\n{}\ndef answer(n):\n    return 7",
    ),
    *attacks(
        """
#: an exception that claims to be a MemoryError -> ERROR -> E
class E(BaseException):
    __class__ = MemoryError
#: an exception whose message hangs -> TIMEOUT
#= ((1,), 2)
class E(Exception):
    def __str__(self):
        while True: pass
#: an exception whose message raises -> ERROR -> E
class E(Exception):
    def __str__(self): raise SystemExit
""",
        "{}\ndef answer(n):\n    raise E",
    ),
    *attacks(
        """
#: a result printed rather than returned -> FAIL
import sys
def answer(n):
    print('["value",0,[%d]]' % (2 * n), flush=True)
    print('PASS', file=sys.stderr, flush=True)
#: one case that eats memory -> MEMORY PASS
def answer(n):
    global kept
    if n == 1:
        kept = []
        while True:
            kept.append(bytes(1 << 20))
    return len(bytes(100 << 20)) and 2 * n
#: the expected value in the frames or the heap -> FAIL -> nothing found
#= ((21,), 987654321123)
import gc, sys
def answer(n):
    frame = sys._getframe()
    while frame is not None:
        for value in (*frame.f_locals.values(), *frame.f_globals.values()):
            if type(value) is int and value > 987654321000 and value % 1000 == 123:
                return value
        frame = frame.f_back
    for thing in gc.get_objects():
        for part in gc.get_referents(thing):
            if type(part) is int and part > 987654321000 and part % 1000 == 123:
                return part
    return "nothing found"
#: arguments changed in place -> PASS
#= (([],), [1])
#= (([],), [1])
def answer(a):
    a.append(1)
    return a
#: no such function -> UNPARSEABLE -> no function named answer
def other(n):
    return n
""",
    ),
    hostile("sys.exit() on loading", "ERROR", "import sys\nsys.exit(0)\n", detail="SystemExit"),
    hostile("os._exit(0) on loading", "ERROR", "import os\nos._exit(0)\n", detail="while loading"),
    hostile("a syntax error", "UNPARSEABLE", "def answer(n:\n", detail="SyntaxError"),
    hostile("a number of that name", "UNPARSEABLE", "answer = 42\n"),
    hostile("nothing at all", "UNPARSEABLE", ""),
    hostile("a null byte", "UNPARSEABLE", "def answer(n):\n    return '\0'\n"),
    hostile("half a surrogate pair in the source", "UNPARSEABLE", "answer = '\ud800'\n"),
    hostile("a hundred thousand brackets", "UNPARSEABLE", "answer = " + "(" * 100_000),
    hostile(
        "wrong number of arguments", "ERROR", "def answer():\n    return 2\n", detail="TypeError"
    ),
]
