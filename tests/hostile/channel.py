"""Attempts on the channel that results go through: forged, malformed, endless or no frames."""

from tests.hostile import SECRET, hostile

# Finds the result channel: the one open socket.
_CHANNEL = """
import os, select, stat
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

CHANNEL = [
    hostile(
        "the expected value in the unread part of the channel",
        "FAIL",
        _CHANNEL
        + """
def answer(n):
    poll = select.poll()
    poll.register(channel(), select.POLLIN)
    return str(os.read(channel(), 1 << 20)) if poll.poll(0) else "nothing there"
""",
        SECRET,
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
        "ERROR",
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
        "a frame that comes in drops",
        "TIMEOUT",
        _CHANNEL
        + """
import time
def answer(n):
    os.write(channel(), b"\\0\\0\\x30\\0")
    while True:
        os.write(channel(), b"[")
        time.sleep(0.002)
""",
        ((1,), 2),
        detail="by the clock",
    ),
    hostile(
        "right frames without end",
        "FAIL",
        _CHANNEL
        + """
def answer(n):
    while True:
        os.write(channel(), frame(b'["value",0,[7]]') * 1000)
""",
    ),
    hostile(
        "empty frames without end",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    while True:
        os.write(channel(), bytes(40_000))
""",
    ),
    hostile(
        "an integer of four million digits on the channel",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b'["value",0,[' + b"9" * 3_900_000 + b"]]"))
    os._exit(0)
""",
    ),
    hostile(
        "a large integer that is none",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b'["value",0,[["i","zz"]]]'))
    os._exit(0)
""",
        ((1,), 2),
    ),
    hostile(
        "an object of JSON for a cell",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b'["value",0,[{"a":1}]]'))
    os._exit(0)
""",
        ((1,), {"a": 1}),
    ),
    hostile(
        "the null device over the channel",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.dup2(1, channel())
    return 2 * n
""",
    ),
    hostile(
        "no standard descriptors",
        "PASS",
        "import os\nos.closerange(0, 3)\ndef answer(n):\n    return 2 * n\n",
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
        "word of loading for an answer",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b'["loaded",0]'))
    return 2 * n
""",
        detail="wrote to the result channel",
    ),
    hostile(
        "an answer for word of loading",
        "ERROR",
        _CHANNEL
        + """
os.write(channel(), frame(b'["value",0,[2]]') * 2)
def answer(n):
    return 2 * n
""",
        detail="wrote to the result channel while loading the module",
    ),
    hostile(
        "an object without a class",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b'["value",0,[[0],["o"]]]'))
    os._exit(0)
""",
        ((1,), [1]),
        detail="wrote to the result channel",
    ),
    hostile(
        "a key without a value",
        "ERROR",
        _CHANNEL
        + """
def answer(n):
    os.write(channel(), frame(b'["value",0,[[0],["d","a"]]]'))
    os._exit(0)
""",
        ((1,), {"a": 1}),
    ),
    hostile(
        "a wait in the call, another without the channel",
        "TIMEOUT",
        """
import os, time
time.sleep(0.7)
def answer(n):
    time.sleep(0.7)
    os.closerange(0, 64)
    time.sleep(0.7)
    os._exit(0)
""",
        detail="no result after 1 s by the clock",
    ),
]
