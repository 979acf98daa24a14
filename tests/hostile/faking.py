"""Attempts to write one's own verdict without the channel, and programs that merely fail."""

from tests.hostile import attacks, hostile

FAKING = [
    *attacks(
        r"""
#: an exception with a message of 50 MB -> ERROR -> ValueError: aaa
raise ValueError('a' * 50_000_000)
#: an exception with an endless name -> ERROR -> EEE
raise type('E' * 9_000_000, (Exception,), {})
#: the runner's own exception -> FAIL
raise sys.modules['inside.encoding'].TooLarge
#: one bad case among good ones -> CRASH PASS -> SIGABRT
n == 1 and os.abort()
#: one case that exits -> ERROR PASS -> status 0
n == 1 and os._exit(0)
#: one case that hangs -> TIMEOUT PASS
while n == 1: pass
#: sys.exit() -> ERROR -> SystemExit
sys.exit()
#: KeyboardInterrupt -> ERROR
raise KeyboardInterrupt
#: a message that no table can hold -> ERROR -> ValueError: \udcff\x00\x1b[31m
raise ValueError('\udcff\0\x1b[31m')
""",
        "import os, sys\ndef answer(n):\n    {}\n    return 2 * n",
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
#: patched builtins -> FAIL|ERROR
import builtins
for name in ("type", "issubclass", "isinstance", "len", "id", "int", "range", "callable"):
    setattr(builtins, name, lambda *arguments: True)
def answer(n):
    return 7
#: a patched json -> FAIL
import json
json.dumps = json.loads = lambda *arguments, **options: ["value", 0, [2]]
def answer(n):
    return 7
#: a patched runner that reports a pass -> ERROR
import sys
sys.modules["inside.encoding"].encode = lambda *arguments: ('"PASS",true', [])
def answer(n):
    return 7
#: a patched runner that returns wrong values -> FAIL
import sys
sys.modules["inside.program"].call = lambda *arguments: '["value",0,[7]]'
def answer(n):
    return 2 * n
#: a runner without its parts -> ERROR
import sys
for name in list(sys.modules):
    if name.startswith("inside"):
        sys.modules[name].__dict__.clear()
def answer(n):
    return 2 * n
#: a patched sys.exit and os._exit -> PASS
import os, sys
os._exit = sys.exit = lambda *arguments: None
def answer(n):
    return 2 * n
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
#: a clock that lies -> PASS
import sys
sys.modules["inside.program"].thread_time_ns = lambda: 10**30
def answer(n):
    return 2 * n
#: every module replaced -> FAIL
import sys
class Fake:
    def __getattr__(self, name):
        return lambda *arguments, **options: "[2]"
for name in set(sys.modules) - {"sys", "builtins", "answer"}:
    sys.modules[name] = Fake()
def answer(n):
    return 7
#: an import hook that exits -> PASS
import sys
class Finder:
    def find_spec(self, name, path, target=None):
        raise SystemExit
sys.meta_path.insert(0, Finder())
def answer(n):
    return 2 * n
#: a trace that exits in the runner -> ERROR
import sys
def trace(frame, event, argument):
    if event == "return" and frame.f_code.co_name != "answer":
        raise SystemExit
    return trace
sys.settrace(trace)
def answer(n):
    return 2 * n
#: an exception that claims to be a MemoryError -> ERROR -> E
class E(BaseException):
    __class__ = MemoryError
def answer(n):
    raise E
#: an exception whose message hangs -> TIMEOUT
#= ((1,), 2)
class E(Exception):
    def __str__(self):
        while True: pass
def answer(n):
    raise E
#: an exception whose message raises -> ERROR -> E
class E(Exception):
    def __str__(self): raise SystemExit
def answer(n):
    raise E
#: arguments changed in place -> PASS
#= (([],), [1])
#= (([],), [1])
def answer(a):
    a.append(1)
    return a
#: no such function -> UNPARSEABLE -> no function named answer
def other(n):
    return n
#: itself under another name -> PASS
import sys
assert __name__ == 'answer' and 'answer' in sys.modules
def answer(n):
    return 2 * n
""",
    ),
    hostile("sys.exit() on loading", "ERROR", "import sys\nsys.exit(0)\n", detail="SystemExit"),
    hostile("os._exit(0) on loading", "ERROR", "import os\nos._exit(0)\n", detail="while loading"),
    hostile(
        "a garbage collector that raises",
        "PASS",
        "import gc\ngc.callbacks.append(lambda *_: 1 / 0)\ngc.set_threshold(1)\n"
        "def answer(n):\n    return 2 * n\n",
    ),
    hostile(
        "an exception behind an exit hook",
        "PASS",
        "import atexit, os\natexit.register(os.abort)\ndef answer(n):\n    return 2 * n\n",
    ),
    hostile("a syntax error", "UNPARSEABLE", "def answer(n:\n", detail="SyntaxError"),
    hostile("a number of that name", "UNPARSEABLE", "answer = 42\n"),
    hostile("nothing at all", "UNPARSEABLE", ""),
    hostile("a null byte", "UNPARSEABLE", "def answer(n):\n    return '\0'\n"),
    hostile("half a surrogate pair in the source", "UNPARSEABLE", "answer = '\ud800'\n"),
    hostile("a hundred thousand brackets", "UNPARSEABLE", "answer = " + "(" * 100_000),
    hostile("a hundred thousand signs", "UNPARSEABLE|CRASH", "answer = " + "-" * 100_000 + "1"),
    hostile(
        "wrong number of arguments", "ERROR", "def answer():\n    return 2\n", detail="TypeError"
    ),
]
