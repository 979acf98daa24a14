"""Attempts to write one's own verdict."""

from tests.hostile import hostile

# Finds the result channel: the one open socket.
_CHANNEL = """
import fcntl, os, stat
def channel():
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                return number
        except OSError:
            pass
def frame(text):
    return len(text).to_bytes(4, "little") + text
"""
_SECRET = ((21,), 987654321123)

FAKING = [
    hostile(
        "a result printed rather than returned",
        "FAIL",
        """
import sys
def answer(n):
    print('["value",0,[%d]]' % (2 * n), flush=True)
    print('PASS', file=sys.stderr, flush=True)
""",
    ),
    hostile(
        "os._exit(0)", "ERROR", "import os\ndef answer(n):\n    os._exit(0)\n", detail="status 0"
    ),
    hostile(
        "sys.exit()", "ERROR", "import sys\ndef answer(n):\n    sys.exit()\n", detail="SystemExit"
    ),
    hostile("sys.exit() on loading", "ERROR", "import sys\nsys.exit(0)\n", detail="SystemExit"),
    hostile("os._exit(0) on loading", "ERROR", "import os\nos._exit(0)\n", detail="while loading"),
    hostile("KeyboardInterrupt", "ERROR", "def answer(n):\n    raise KeyboardInterrupt\n"),
    hostile(
        "one bad case among good ones",
        "CRASH PASS",
        """
import os
def answer(n):
    if n == 1:
        os.abort()
    return 2 * n
""",
    ),
    hostile(
        "one case that exits",
        "ERROR PASS",
        """
import os
def answer(n):
    if n == 1:
        os._exit(0)
    return 2 * n
""",
    ),
    hostile(
        "one case that hangs",
        "TIMEOUT PASS",
        """
def answer(n):
    while n == 1:
        pass
    return 2 * n
""",
    ),
    hostile(
        "one case that eats memory",
        "MEMORY PASS",
        """
def answer(n):
    global kept
    if n == 1:
        kept = []
        while True:
            kept.append(bytearray(1 << 20))
    return len(bytes(100 << 20)) and 2 * n
""",
    ),
    hostile(
        "patched builtins",
        "FAIL|ERROR",
        """
import builtins
for name in ("type", "issubclass", "isinstance", "len", "id", "int", "range", "callable"):
    setattr(builtins, name, lambda *arguments: True)
def answer(n):
    return 7
""",
    ),
    hostile(
        "a patched json",
        "FAIL",
        """
import json
json.dumps = json.loads = lambda *arguments, **options: ["value", 0, [2]]
def answer(n):
    return 7
""",
    ),
    hostile(
        "a patched runner that reports a pass",
        "ERROR",
        """
import sys
sys.modules["inside.encoding"].encode = lambda *arguments: ('"PASS",true', [])
def answer(n):
    return 7
""",
    ),
    hostile(
        "a patched runner that returns wrong values",
        "FAIL",
        """
import sys
sys.modules["inside.program"]._call = lambda *arguments: '["value",0,[7]]'
def answer(n):
    return 2 * n
""",
    ),
    hostile(
        "a runner without its parts",
        "ERROR",
        """
import sys
for name in list(sys.modules):
    if name.startswith("inside"):
        sys.modules[name].__dict__.clear()
def answer(n):
    return 2 * n
""",
    ),
    hostile(
        "a patched sys.exit and os._exit",
        "PASS",
        """
import os, sys
os._exit = sys.exit = lambda *arguments: None
def answer(n):
    return 2 * n
""",
    ),
    hostile(
        "the expected value in the frames or the heap",
        "FAIL",
        """
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
""",
        _SECRET,
        detail="nothing found",
    ),
    hostile(
        "the expected value in the unread part of the channel",
        "FAIL",
        _CHANNEL
        + """
def answer(n):
    fcntl.fcntl(channel(), fcntl.F_SETFL, os.O_NONBLOCK)
    try:
        return os.read(channel(), 1 << 20)
    except BlockingIOError:
        return "nothing there"
""",
        _SECRET,
        detail="nothing there",
    ),
    hostile(
        "a verdict written to the channel",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b'{"kind":"PASS"}'))
    return 2 * n
""",
        detail="wrote to the result channel",
    ),
    hostile(
        "wrong values written to the channel",
        "FAIL",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b'["value",0,[7]]') * 2)
    os._exit(0)
""",
    ),
    hostile(
        "noise on the channel",
        "ERROR|FAIL",
        _CHANNEL
        + """
def answer(n):
    while True:
        os.write(channel(), b"\\x10\\0\\0\\0 noise noise noise noise noise" * 1000)
""",
    ),
    hostile(
        "a frame of four gigabytes",
        "FAIL",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), b"\\xff\\xff\\xff\\xff")
    return 2 * n
""",
    ),
    hostile(
        "deeply nested JSON on the channel",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b"[" * 100_000))
    return 2 * n
""",
    ),
    hostile(
        "a malformed document on the channel",
        "FAIL",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b'["value",0,[[99],["l",[-1]]]]'))
    return 2 * n
""",
        ((1,), [1]),
    ),
    hostile(
        "half a frame, then silence",
        "TIMEOUT",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), b"\\x10\\0\\0\\0[")
    while True:
        pass
""",
        ((1,), 2),
    ),
    hostile(
        "half a frame, then death",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), b"\\x10\\0\\0\\0[")
    os._exit(3)
""",
        detail="status 3",
    ),
    hostile(
        "a closed channel",
        "ERROR",
        "import os\ndef answer(n):\n    os.closerange(0, 64)\n    return 2 * n\n",
    ),
    hostile(
        "a closed channel, then an endless loop",
        "TIMEOUT",
        "import os\ndef answer(n):\n    os.closerange(0, 64)\n    while True:\n        pass\n",
        ((1,), 2),
    ),
    hostile(
        "an exception whose message hangs",
        "TIMEOUT",
        """
class E(Exception):
    def __str__(self):
        while True: pass
def answer(n):
    raise E
""",
        ((1,), 2),
    ),
    hostile(
        "an exception whose message raises",
        "ERROR",
        """
class E(Exception):
    def __str__(self): raise SystemExit
def answer(n):
    raise E
""",
        detail="E",
    ),
    hostile(
        "an exception with a message of 50 MB",
        "ERROR",
        "def answer(n):\n    raise ValueError('a' * 50_000_000)\n",
        detail="ValueError: aaa",
    ),
    hostile(
        "an exception with an endless name",
        "ERROR",
        "def answer(n):\n    raise type('E' * 9_000_000, (Exception,), {})\n",
        detail="EEE",
    ),
    hostile(
        "arguments changed in place",
        "PASS",
        "def answer(a):\n    a.append(1)\n    return a\n",
        (([],), [1]),
        (([],), [1]),
    ),
    hostile("a syntax error", "UNPARSEABLE", "def answer(n:\n", detail="SyntaxError"),
    hostile(
        "no such function",
        "UNPARSEABLE",
        "def other(n):\n    return n\n",
        detail="no function named answer",
    ),
    hostile("a number of that name", "UNPARSEABLE", "answer = 42\n"),
    hostile("nothing at all", "UNPARSEABLE", ""),
    hostile("a null byte", "UNPARSEABLE", "def answer(n):\n    return '\0'\n"),
    hostile("half a surrogate pair in the source", "UNPARSEABLE", "answer = '\ud800'\n"),
    hostile("a hundred thousand brackets", "UNPARSEABLE", "answer = " + "(" * 100_000),
    hostile("a hundred thousand signs", "UNPARSEABLE|CRASH", "answer = " + "-" * 100_000 + "1"),
    hostile(
        "wrong number of arguments", "ERROR", "def answer():\n    return 2\n", detail="TypeError"
    ),
    hostile(
        "itself under another name",
        "PASS",
        "import sys\nassert __name__ == 'answer' and 'answer' in sys.modules\n"
        "def answer(n):\n    return 2 * n\n",
    ),
]
