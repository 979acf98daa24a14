"""Attempts on the channel that results go through: forged, malformed, endless or no frames."""

from tests.hostile import WRITING, attacks

CHANNEL = [
    *attacks(
        r"""
#: a verdict written to the channel -> ERROR -> wrote to the result channel
os.write(channel(), frame(b'{"kind":"PASS"}'))
#: a frame of four gigabytes -> FAIL
os.write(channel(), b"\xff\xff\xff\xff")
#: deeply nested JSON on the channel -> ERROR
os.write(channel(), frame(b"[" * 100_000))
#: a document nested 900 deep -> ERROR -> wrote to the result channel
os.write(channel(), frame(b'["value",0,[' + b"[" * 900 + b"]" * 902))
#: the null device over the channel -> ERROR
os.dup2(1, channel())
#: word of loading for an answer -> ERROR -> wrote to the result channel
os.write(channel(), frame(b'["loaded",0]'))
#: half a frame, then death -> ERROR -> status 3
os.write(channel(), b"\x10\0\0\0[") and os._exit(3)
#: right frames without end -> FAIL
while True: os.write(channel(), frame(b'["value",0,[7]]') * 1000)
#: empty frames without end -> ERROR
while True: os.write(channel(), bytes(40_000))
#: noise on the channel -> ERROR|FAIL
while True: os.write(channel(), b"\x10\0\0\0 noise noise noise noise noise" * 1000)
#: wrong values written to the channel -> FAIL
os.write(channel(), frame(b'["value",0,[7]]') * 2) and os._exit(0)
#: an integer of four million digits on the channel -> ERROR
os.write(channel(), frame(b'["value",0,[' + b"9" * 3_900_000 + b"]]")) and os._exit(0)
#: a closed channel -> ERROR
os.closerange(0, 64)
""",
        WRITING + "def answer(n):\n    {}\n    return 2 * n",
    ),
    *attacks(
        r"""
#: no standard descriptors -> PASS
os.closerange(0, 3)
def answer(n):
    return 2 * n
#: a closed channel, then an endless loop -> TIMEOUT
#= ((1,), 2)
def answer(n):
    os.closerange(0, 64)
    while True: pass
#: a wait in the call, another without the channel -> TIMEOUT -> no result after 1 s of wall time
import time
time.sleep(0.7)
def answer(n):
    time.sleep(0.7)
    os.closerange(0, 64)
    time.sleep(0.7)
    os._exit(0)
#: the expected value in the unread part of the channel -> FAIL -> nothing there
#= ((21,), 987654321123)
def answer(n):
    poll = select.poll()
    poll.register(channel(), select.POLLIN)
    return str(os.read(channel(), 1 << 20)) if poll.poll(0) else "nothing there"
#: half a frame, then silence -> TIMEOUT
#= ((1,), 2)
def answer(n):
    os.write(channel(), b"\x10\0\0\0[")
    while True:
        pass
#: a frame that comes in drops -> TIMEOUT -> of wall time
#= ((1,), 2)
import time
def answer(n):
    os.write(channel(), b"\0\0\x30\0")
    while True:
        os.write(channel(), b"[")
        time.sleep(0.002)
#: an answer for word of loading -> ERROR -> wrote to the result channel while loading the module
os.write(channel(), frame(b'["value",0,[2]]') * 2)
def answer(n):
    return 2 * n
""",
        WRITING + "{}",
    ),
]
