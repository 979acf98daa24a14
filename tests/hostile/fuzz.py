"""The fuzzer of the judge: forged answers and odd results, of which none may stop it.

Every program is judged in real jails. Whatever it sends or returns, the judge gives a verdict on
each case, foresees what came (nothing reaches its last guard) and passes nothing that is wrong.

``python -m tests.hostile.fuzz --inputs 100000`` is the long form; it prints the verdicts. Each
input has a number and depends on nothing but that, so ``--start 50000`` goes on in the middle.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Kind, Program, Verdict
from coral_batch.verdicts.cases import judge_cases
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.layers import isolation
from coral_batch.verdicts.testfiles import judge_tests
from coral_batch.work.progress import progress
from tests.programs import NODE

LIMITS = Verdicts(cpu_seconds=0.5, wall_seconds=2.0, memory_mb=256, require=())
_KINDS = get_args(Kind)
_TOGETHER = 20  # results that one program returns, one a case

# What no program comes upon by itself, of every type that a case can expect.
_EXPECTED = (
    "987654321123",
    987654321123,
    987654321.123,
    ["987654321123", [1, {"a": [None, True]}]],
    {"987654321123": [1, 2.5]},
)
_NODE = f"""{NODE}
class Slotted:
    __slots__ = ("value",)
"""
_TESTS = """
from node import Node
from answer import answer

def walk(result):
    for _ in range(100):
        result = result.successor
    return result

def test_value():
    result = answer(1)
    assert result == "987654321123", f"{result}"

def test_nodes():
    node = Node(1, Node(2))
    try:
        walk(answer(node))
    except (ValueError, TypeError):
        pass
    assert node.successor.value == "987654321123", str(node.__dict__)
"""
_FORGING = """
import os
def send(data):
    try:
        while data:
            data = data[os.write(3, data):]
    except OSError:
        pass
def answer(*arguments):
    send({data!r})
    {end}
"""
_ENDS = (
    "os._exit(0)",
    "os._exit(7)",
    "return None",
    "return arguments[0]",
    "raise ValueError",
    "os.kill(os.getpid(), 9)",
    "os.kill(os.getpid(), 34 + len(arguments))",
    "os.closerange(0, 64)",
)
_SCALARS = (
    *(None, True, False, 0, -1, 1, 2, 7, 1 << 62, 1 << 64, -(1 << 70), 10**400, 10**4200),
    *(0.0, -0.0, 1.5, 1e308, float("nan"), float("inf"), float("-inf")),
    *("", "i", "x", "l", "o", "d", "s", "f", "t", "g", "ff", "-f", "zz", "0x1", "1_0", "value"),
    *("node.Node", "node.Slotted", "node", "os.system", "\ud800", "\x1b[31m", "a" * 500),
)
_RESULTS = (
    *("10**400", "-10**400", "10**5000", "1 << 100_000", "True", "1e308", "float('nan')"),
    *("'\\ud800'", "'\\x1b[31m' * 200", "'a' * 3_000_000", "b'a'", "1j", "...", "NotImplemented"),
    *("object()", "type", "answer", "ValueError('a')", "range(3)", "iter([1])", "map(abs, [1])"),
    *("[[]] * 15_000", "[['a' * 40] * 10] * 15_000", "(x := []).append(x) or x", "nested(90_000)"),
    *("{(): [{1}, frozenset({(1, 2)})]}", "{float('nan'): 1}", "{1: 1, '1': 1}", "nested(900)"),
    *("tuple_nested(900)", "tuple_nested(90_000)", "itertools.count()", "itertools.repeat([])"),
    *("sys.modules", "vars()", "enum.IntEnum('E', 'a').a", "collections.Counter('aab')"),
    *("collections.deque([1])", "array.array('d', [1])", "decimal.Decimal(1)", "memoryview(b'')"),
)
_RETURNING = """
import array, collections, decimal, enum, itertools, sys
def nested(depth):
    result = []
    for _ in range(depth):
        result = [result]
    return result
def tuple_nested(depth):
    result = ()
    for _ in range(depth):
        result = (result,)
    return result
results = [{results}]
def answer(number, *_):
    if type(number) is not int:
        number.__dict__.update({{"successor": number, 1: 2, "value": results[0]()}})
        return number
    return results[number % len(results)]()
"""


def forged(chance: random.Random) -> bytes:
    """Make what a program may write to the channel: most of it nearly an answer."""
    kind = chance.random()
    if kind < 0.05:
        return chance.randbytes(chance.randrange(200))
    if kind < 0.1:
        depth = chance.choice((100, 900, 990, 5_000, 9_996, 100_000))
        return _framed(b'["value",0,[' + b"[" * depth + b"]" * chance.choice((depth, 0)) + b"]]")
    if kind < 0.15:
        text = _text(_junk(chance, 4))
    elif kind < 0.3:
        name = chance.choice(("loaded", "unparseable", "error", "memory", "large", "value", "end"))
        text = _text([name, *(_junk(chance, 2) for _ in range(chance.randrange(4)))])
    else:
        seconds = chance.choice((0, 5, 10**14, 1 << 80))
        text = _text(["value", seconds, _document(chance)])
    if chance.random() < 0.1:
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice((b"", b"]", b",", b"\xff", b"9" * 5_000)) + text[at + 1 :]
    frame = _framed(text)
    if chance.random() < 0.05:
        frame = frame[: chance.randrange(len(frame))]
    return frame * chance.choice((1, 1, 1, 2, 3))


def _text(value: Any) -> bytes:
    return json.dumps(value).encode()


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + data


def _document(chance: random.Random) -> list[Any]:
    entries = chance.randrange(6)
    return [_cell(chance, entries), *(_entry(chance, entries) for _ in range(entries))]


def _entry(chance: random.Random, entries: int) -> Any:
    if chance.random() < 0.05:
        return _junk(chance, 2)
    entry: list[Any] = [chance.choice("ltsfgdo")]
    if entry[0] == "o" and chance.random() < 0.8:
        entry.append(chance.choice(("node.Node", "node.Slotted", "os.system", "")))
    return entry + [_cell(chance, entries) for _ in range(chance.randrange(5))]


def _cell(chance: random.Random, entries: int) -> Any:
    kind = chance.random()
    if kind < 0.5:
        return [chance.randrange(-1 if kind < 0.02 else 0, entries + (kind < 0.04) or 1)]
    if kind < 0.6:
        return [chance.choice("ix"), chance.choice(("ff", "-ff", "f" * 5_000, "zz", "", "A"))]
    if kind < 0.65:
        return _junk(chance, 2)
    return chance.choice(_SCALARS)


def _junk(chance: random.Random, depth: int) -> Any:
    kind = chance.random()
    if depth == 0 or kind < 0.4:
        return chance.choice(_SCALARS)
    if kind < 0.85:
        return [_junk(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {str(chance.choice(_SCALARS))[:9]: _junk(chance, depth - 1) for _ in range(2)}


def result(chance: random.Random, depth: int = 3) -> str:
    """Make an expression whose value a program may return."""
    if depth == 0 or chance.random() < 0.5:
        if chance.random() < 0.5:
            return f"eval({repr(chance.choice(_SCALARS))!r}, {{'nan': 0.0, 'inf': 1.0}})"
        return chance.choice(_RESULTS)
    items = ", ".join(result(chance, depth - 1) for _ in range(chance.randrange(4))) or "1"
    form = chance.choice(("[{}]", "({},)", "iter([{}])", "dict.fromkeys([{}])", "{{{},}}"))
    return form.format(items)


def programs(first: int) -> Iterator[tuple[int, Program]]:
    """Yield programs without end, each with the number of its first input."""
    number = first
    while True:
        chance = random.Random(number)
        if chance.random() < 0.05:
            results = ", ".join(f"lambda: {result(chance)}" for _ in range(_TOGETHER))
            code, size = _RETURNING.format(results=results), _TOGETHER
        else:
            code, size = _FORGING.format(data=forged(chance), end=chance.choice(_ENDS)), 1
        if chance.random() < 0.1:
            yield number, Program("answer", code, (), _TESTS, {"node": _NODE})
            number += 2
            continue
        cases = tuple(Case((at,), chance.choice(_EXPECTED)) for at in range(size))
        yield number, Program("answer", code, cases, None, {})
        number += size


def judged(jail: Jail, apart: Jail, program: Program, limits: Verdicts = LIMITS) -> list[Verdict]:
    """Judge all of a program's cases or tests, in order."""
    if program.tests is not None:
        return list(judge_tests(jail, apart, program, limits).values())
    verdicts: dict[int, Verdict] = {}
    while len(verdicts) < len(program.cases):
        left = [number for number in range(len(program.cases)) if number not in verdicts]
        verdicts |= judge_cases(jail, program, limits, left)
    return [verdicts[number] for number in sorted(verdicts)]


def fuzz(first: int, inputs: int) -> Counter[str]:
    """Judge programs; return how often each verdict came.

    Args:
        first: number of the first input.
        inputs: how many, at least.

    Raises:
        AssertionError: a verdict is wrong or came from the last guard. Any other exception is one
            that stopped the judge.
    """
    found: Counter[str] = Counter()
    with Jail(isolation(()), LIMITS.memory_mb) as jail, Jail(isolation(())) as apart:
        for number, program in progress(programs(first), "fuzz", units="programs"):
            try:
                verdicts = judged(jail, apart, program)
            except Exception as error:
                error.add_note(f"on input {number}")
                raise
            for verdict in verdicts:
                _check(number, verdict)
                found[verdict.kind] += 1
            if found.total() >= inputs:
                break
    return found


def _check(number: int, verdict: Verdict) -> None:
    told = f"input {number}: {verdict}"
    assert verdict.kind in _KINDS, told
    assert verdict.kind != "PASS", told
    assert "could not be judged" not in verdict.detail, told
    assert 0 < len(verdict.detail) <= 400, told
    assert verdict.detail.isprintable(), told
    assert 0 <= verdict.cpu_seconds < 60, told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--start", type=int, default=0)
    arguments = parser.parse_args()
    found = fuzz(arguments.start, arguments.inputs)
    print(f"{found.total()} inputs, no exception")
    for kind, count in found.most_common():
        print(f"{kind:12}{count:8}")


if __name__ == "__main__":
    main()
