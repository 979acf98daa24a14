"""`coral repair` of methods, by tests of classes or of several functions at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coral_batch import repair
from coral_batch.commands.repair import Repair, repair_folder
from coral_batch.commands.repair.checks import WHOLE, failures, parse_all
from coral_batch.commands.repair.source import Source, read_source, with_answer
from coral_batch.errors import CoralError
from coral_batch.lake import params
from tests.repairable import Scripted, coral

PROGRAM = '''"""Stacks."""

import functools
from collections import deque, namedtuple
from dataclasses import dataclass
from decimal import Decimal

LIMIT = 3
TABLE = {"a": [1]}
Ends = namedtuple("Ends", "first last")


@dataclass
class Point:
    x: int
    y: int = 0


class Stack:
    """A stack.

    >>> stack = Stack()
    >>> stack.push(1)
    >>> stack.push(2)
    >>> stack.pop()
    2
    >>> stack.pop()
    1
    >>> stack.size()
    0
    """

    limit = LIMIT

    def __init__(self, items=()):
        self.items = list(items)

    def push(self, item):
        """Put an item on top."""
        # There is no room for more.
        if len(self.items) > self.limit:
            raise ValueError("full")
        self.items.append(item)

    def pop(self):
        return self.items.pop()

    def size(self):
        return len(self.items)

    def ends(self):
        return Ends(self.items[0], self.items[-1])

    @property
    def top(self):
        return self.items[-1]

    @functools.cache
    def kept(self):
        return object()

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def __iadd__(self, item):
        self.push(item)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.items.clear()


def make(*items):
    return Stack(items)


def extend(items, more):
    items.append(more)
    return len(items)


def chained(items, more):
    items.append(more)
    return items


def twins():
    stack = make(1)
    return [stack, stack, {"again": stack}, (Stack(), 2)]


def letters():
    yield "a"
    yield make(1)


def queue(*items):
    return deque(items)


def price():
    return Decimal("1.5")
'''

TESTS = """import copy

import pytest
import stacks
from stacks import LIMIT, TABLE, Ends, Point, Stack, chained, extend, letters, make, price, queue
from stacks import twins
from stacks import make as build


@pytest.fixture
def unused():
    pass


def test_push():
    stack = Stack()
    for item in range(LIMIT):
        stack.push(item)
    with pytest.raises(ValueError, match="full"):
        stack.push(4)
    assert stack.items == [0, 1, 2]


def test_reading():
    stack = make(3, 1, 2)
    assert stack.top == 2 and stack.size() == len(stack) == 3
    assert list(stack) == [3, 1, 2] and sorted(build(2, 1)) == [1, 2]
    assert 3 in stack and 5 not in stack
    assert [item for item in stacks.make(4)] == [4]
    assert stacks.LIMIT == 3 and TABLE["a"] == [1]
    assert isinstance(stack.items, list) and f"{stack.top:02d}" == "02"
    assert not hasattr(stack, "nothing") and getattr(stack, "nothing", 7) == 7
    assert make() or True
    assert not make()


def test_changing():
    stack = make(1)
    stack.items = [7]
    assert stack.pop() == 7 and stack.size() == 0
    stack += 5
    assert stack.top == 5
    stack.colour = "red"
    assert stack.colour == "red"
    del stack.colour
    assert not hasattr(stack, "colour")
    items = [1]
    assert extend(items, 2) == 2 and items == [1, 2]
    assert chained(items, 3) is items and items == [1, 2, 3]
    with make(1, 2) as held:
        assert held.size() == 2
    assert held.size() == 0


def test_sameness():
    stack = make(1)
    assert stack == stack and stack != make(1) and stack is not make(1)
    assert stack != None and not stack == None
    assert isinstance(stack, Stack) and not isinstance(3, Stack)
    first, second, third, (fourth, two) = twins()
    assert first is second and third["again"] is first and fourth is not first and two == 2
    assert stack.kept() is stack.kept()
    other = copy.copy(stack)
    assert other is not stack and other.items == stack.items
    assert copy.deepcopy(stack).items == [1]
    assert len({stack, stack, other}) == 2


def test_values():
    ends = make(1, 2, 3).ends()
    assert ends == (1, 3) and ends == Ends(1, 3) and ends.last == 3 and tuple(ends) == (1, 3)
    assert ends < (2, 0) and ends[0] == 1
    assert Point(1) == Point(1, 0) and Point(1) != Point(2)
    assert repr(Point(1, 2)) == "Point(x=1, y=2)" and str(Point(1)) == "Point(x=1, y=0)"
    assert float(price() + 1) == 2.5 and int(price()) == 1 and make() is not None
    assert queue(1, 2).popleft() == 1 and not queue() and 2 in queue(2)


def test_iterating():
    both = letters()
    assert next(both) == "a"
    assert isinstance(next(both), Stack)
    with pytest.raises(StopIteration):
        next(both)


def test_of_one_function():
    assert extend([], 1) == 1


def test_object_of_one_function():
    assert float(price()) == 1.5


def test_wrong():
    assert make(1).top == 2


def test_wrong_object():
    assert make(1) == make(1)


def test_wrong_exception():
    with pytest.raises(KeyError):
        make().pop()
""".replace("@pytest.fixture\ndef unused():\n    pass\n\n\n", "")

MORE = '''"""Objects of many kinds."""

import json
from dataclasses import dataclass
from decimal import Decimal

TABLE = {}
for number in range(3):
    TABLE[number] = number * number
SEEN = []


class Invalid(ValueError):
    """A value that is none."""


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass(frozen=True)
class Place:
    x: int


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return isinstance(other, Money) and self.amount == other.amount


class Counting:
    """Begins anew whenever it is iterated."""

    def __init__(self, end):
        self.end = end

    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at == self.end:
            raise StopIteration
        self.at += 1
        return self.at


class Account:
    def __init__(self):
        self.amount = 0
        self.log = []

    def __enter__(self):
        self.before = self.amount
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.amount = self.before
            self.log.append(f"{kind.__name__}: {error}")
        return kind is KeyError

    def take(self, amount):
        self.amount -= amount
        if self.amount < 0:
            raise Invalid("too little")


def upto(end):
    yield from range(end)


def parse(text):
    if not isinstance(text, str):
        raise TypeError("no text")
    if not text:
        raise Invalid("empty")
    return json.loads(text)


def look(key):
    return {"a": 1}[key]


def calc(operation, called, self=2):
    return f"{operation} {called} {self}"


def note(item):
    SEEN.append(item)


def price():
    return Decimal("1.5")
'''

MORE_TESTS = """import pytest
import more
from more import (
    SEEN, TABLE, Account, Counting, Money, Place, Point, calc, look, note, parse, price, upto
)


def test_not_equal():
    assert Point(1) != Point(1, 2) and not Point(1) != Point(1)
    assert Money(1) != Money(2) and not Money(1) != Money(1) and Money(1) != 1


def test_hashes():
    assert len({Place(1), Place(1), Place(2)}) == 2 and Place(1) in {Place(1)}


def test_generators():
    assert list(upto(3)) == [0, 1, 2] and [*upto(2)] == [0, 1] and tuple(upto(1)) == (0,)
    assert sorted(upto(2), reverse=True) == [1, 0] and sum(upto(4)) == 6
    with pytest.raises(TypeError):
        len(upto(2))


def test_iterators():
    assert list(Counting(3)) == [1, 2, 3]
    assert [item for item in Counting(2)] == [1, 2]


def test_exceptions_of_the_program_are_what_they_derive_from():
    with pytest.raises(ValueError, match="^empty$"):
        parse("")
    with pytest.raises(ValueError, match="Expecting"):
        parse("{")
    with pytest.raises(AttributeError):
        Place(1).x = 2
    with pytest.raises(TypeError, match="no text"):
        parse(3)


def test_exceptions_can_be_caught():
    try:
        look("b")
    except KeyError as error:
        assert str(error) == "'b'"
    else:
        raise AssertionError
    try:
        parse("")
    except TypeError:
        raise AssertionError
    except ValueError:
        pass


def test_a_with_statement_is_left_by_an_exception():
    account = Account()
    with pytest.raises(ValueError):
        with account:
            account.take(3)
    assert account.amount == 0 and account.log[0].endswith(": too little")
    with account:
        account.amount = 5
        raise KeyError("kept")
    assert account.amount == 0 and len(account.log) == 2
    with account as same:
        same.amount = 4
    assert account.amount == 4


def test_names_of_arguments():
    assert calc(operation="a", called="b") == "a b 2" and calc("a", "b", self=3) == "a b 3"


def test_data_that_the_module_fills():
    assert TABLE[2] == 4 and len(TABLE) == 3 and 2 in TABLE and TABLE == {0: 0, 1: 1, 2: 4}
    note(1)
    assert SEEN == [1] and more.SEEN == [1] and [*SEEN] == [1]


def test_numbers():
    assert price() + 1 == price() + 1 or True
    assert float(price()) == pytest.approx(1.5)


def test_wrong():
    assert Point(1, 2) != Point(1, 2)


def test_wrong_member():
    assert Point(1) in [Point(2)]
"""

RIGHT = """class Stack:
    def push(self, item):
        if len(self.items) >= self.limit:
            raise ValueError("full")
        self.items.append(item)
"""


@pytest.fixture
def file(workspace: Path) -> Path:
    """A file with a broken method, and its tests."""
    Path("stacks.py").write_text(PROGRAM)
    Path("test_stacks.py").write_text(TESTS)
    return Path("stacks.py")


def failed(file: Path, tests: Path | None) -> list[str]:
    """Return the statements of the tests that a file fails."""
    source = read_source(file)
    (found,) = failures([source], parse_all(source, tests), params.load().verdicts)
    return [one.test for one in found]


def under_pytest(tests: Path) -> list[str]:
    """Return the names of the tests that fail under pytest."""
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "--no-header",
         "--noconftest", "-c", "/dev/null", "--rootdir=.", str(tests)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in ran.stdout.splitlines() if line.startswith("FAILED")]
    return [line.split("::")[1].split(" ")[0] for line in lines]


def test_the_tests_that_fail_are_those_that_fail_under_pytest(file: Path) -> None:
    names = under_pytest(Path("test_stacks.py"))
    assert names == ["test_push", "test_wrong", "test_wrong_object", "test_wrong_exception"]
    assert {text.split("\n")[0] for text in failed(file, Path("test_stacks.py"))} == {
        "stack = Stack()",
        "assert make(1).top == 2",
        "assert make(1) == make(1)",
        "with pytest.raises(KeyError):",
    }


def test_objects_of_many_kinds_are_used_as_under_pytest(workspace: Path) -> None:
    Path("more.py").write_text(MORE)
    Path("test_more.py").write_text(MORE_TESTS)
    assert under_pytest(Path("test_more.py")) == ["test_wrong", "test_wrong_member"]
    assert failed(Path("more.py"), Path("test_more.py")) == [
        "assert Point(1, 2) != Point(1, 2)",
        "assert Point(1) in [Point(2)]",
    ]


@pytest.mark.parametrize("given", ["b'x'", "lambda: 1", "object()"])
def test_no_test_takes_what_cannot_cross_for_an_exception_of_the_program(
    workspace: Path, given: str
) -> None:
    Path("more.py").write_text(MORE)
    Path("test_more.py").write_text(
        f"import pytest\nfrom more import Point, parse\n\n\ndef test_a():\n    given = {given}\n"
        "    assert Point(1)\n    with pytest.raises(TypeError):\n        parse(given)\n"
    )
    with pytest.raises(CoralError, match="cannot be given to the program by a test"):
        repair(Path("more.py"), Path("test_more.py"), "parse", draw=Scripted())


NUMBERS = '''"""Numbers of the standard library."""

from decimal import Decimal
from fractions import Fraction


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return isinstance(other, Money) and self.amount == other.amount


def price():
    return Decimal("1.5")


def share(parts):
    return Fraction(1, parts)


def shares(parts):
    return [Fraction(part, parts) for part in range(parts)]


def distinct(parts):
    return set(shares(parts)) | {Decimal(1)}
'''
NUMBERS_TESTS = """from decimal import Decimal
from fractions import Fraction

import pytest
from exact import Money, distinct, price, share, shares


def test_a():
    assert price() == 1.5


def test_b():
    assert price() == Decimal("1.5") and Decimal("1.4") < price() and price() != Fraction(1, 3)
    assert price() > 1 and round(price(), 0) == 2


def test_c():
    assert share(2) == 0.5 and share(3) == Fraction(1, 3) and share(3) != 1 / 3 and share(1) == 1


def test_d():
    assert shares(2) == [0, 0.5] and shares(3) == pytest.approx([0, 1 / 3, 2 / 3])
    assert share(3) == pytest.approx(1 / 3) and pytest.approx(1 / 3) == share(3)


def test_e():
    assert distinct(2) == {0, 0.5, 1} and share(2) in distinct(2)


def test_f():
    assert Money(1) == Money(1) and Money(1) != 1


def test_wrong_price():
    assert price() == 1.6


def test_wrong_share():
    assert share(3) == 1 / 3


def test_wrong_shares():
    assert shares(3) == pytest.approx([0, 0.3, 0.6])
"""


def test_numbers_of_the_standard_library_compare_as_under_pytest(workspace: Path) -> None:
    Path("exact.py").write_text(NUMBERS)
    Path("test_exact.py").write_text(NUMBERS_TESTS)
    assert under_pytest(Path("test_exact.py")) == [
        "test_wrong_price",
        "test_wrong_share",
        "test_wrong_shares",
    ]
    assert failed(Path("exact.py"), Path("test_exact.py")) == [
        "assert price() == 1.6",
        "assert share(3) == 1 / 3",
        "assert shares(3) == pytest.approx([0, 0.3, 0.6])",
    ]


def test_objects_of_the_whole_file_outlive_a_test_that_ends_the_program(workspace: Path) -> None:
    Path("m.py").write_text(
        "import os\n\n\nclass Box:\n    def __init__(self, n):\n        self.n = n\n\n"
        "    def end(self):\n        os.abort()\n"
    )
    Path("test_m.py").write_text(
        "from m import Box\n\nFIRST = Box(1)\nSECOND = Box(2)\n\n\n"
        "def test_end():\n    Box(3).end()\n\n\n"
        "def test_first():\n    assert FIRST.n == 1\n\n\n"
        "def test_second():\n    assert Box(4).n == 4 and SECOND.n == 2\n"
    )
    assert failed(Path("m.py"), Path("test_m.py")) == ["Box(3).end()"]


def test_what_a_failing_test_got_is_what_the_program_gave(workspace: Path) -> None:
    Path("m.py").write_text(
        "class Box:\n    def __init__(self, n):\n        self.n = n\n\n"
        "    @property\n    def double(self):\n        return 3 * self.n\n\n"
        "    def __len__(self):\n        return self.n\n\n"
        "    def pair(self):\n        return self.n, 7\n\n\n"
        "def each(n):\n    yield from (n, 5)\n"
    )
    wrong = {
        "Box(2).double == 4": "6",
        "Box(2).n == 3": "2",
        "len(Box(2)) == 3": "2",
        "Box(2).pair() == (2, 8)": "(2, 7)",
        "list(each(2)) == [2, 6]": "5",
    }
    tests = "".join(
        f"def test_{number}():\n    assert {text}\n\n\n" for number, text in enumerate(wrong)
    )
    Path("test_m.py").write_text(f"from m import Box, each\n\n\n{tests}")
    source = read_source(Path("m.py"))
    (found,) = failures([source], parse_all(source, Path("test_m.py")), params.load().verdicts)
    got = {one.test.removeprefix("assert "): one.got for one in found}
    assert got == {text: f"returned {value}" for text, value in wrong.items()}


def test_objects_cross_in_frozensets(workspace: Path) -> None:
    Path("m.py").write_text(
        "class Box:\n    pass\n\n\nBOX = Box()\n\n\ndef both():\n"
        "    return frozenset([BOX, (Box(), 1)])\n\n\n"
        "def held(boxes):\n    return type(boxes).__name__, BOX in boxes, len(boxes)\n"
    )
    Path("test_m.py").write_text(
        "from m import BOX, Box, both, held\n\n\n"
        "def test_returned():\n    assert len(both()) == 2 and BOX in both()\n\n\n"
        "def test_given():\n    assert held(frozenset([BOX, Box()])) == ('frozenset', True, 2)\n"
    )
    assert failed(Path("m.py"), Path("test_m.py")) == []


def test_no_test_passes_by_catching_what_cannot_cross(workspace: Path) -> None:
    Path("m.py").write_text("def f(n):\n    return n\n\n\ndef g(n):\n    return n\n")
    Path("test_m.py").write_text(
        "from m import f, g\n\n\ndef test_a():\n    given = b'x'\n    try:\n"
        "        f(given)\n        g(given)\n    except:\n        pass\n"
    )
    (found,) = failures(
        [read_source(Path("m.py"))],
        parse_all(read_source(Path("m.py")), Path("test_m.py")),
        params.load().verdicts,
    )
    assert [one.kind for one in found] == ["ERROR"]


def test_examples_of_a_class_are_run_in_their_order(file: Path) -> None:
    assert failed(file, None) == []
    file.write_text(
        PROGRAM.replace("    2\n    >>> stack.pop()\n    1", "    2\n    >>> stack.pop()\n    2")
    )
    assert len(failed(file, None)) == 1


def test_a_method_is_repaired_and_all_else_stays(file: Path) -> None:
    Path("test_stacks.py").write_text(TESTS.partition("def test_wrong()")[0])
    draw = Scripted([RIGHT.replace(">=", "<"), RIGHT])
    found = repair(file, Path("test_stacks.py"), "Stack.push", draw=draw)
    assert found.outcome == "repaired"
    assert found.best.text == PROGRAM.replace(
        "        # There is no room for more.\n        if len(self.items) > self",
        "        if len(self.items) >= self",
    )
    assert draw.programs == [
        "class Stack:\n"
        "    def push(self, item):\n"
        "        # There is no room for more.\n"
        "        if len(self.items) > self.limit:\n"
        '            raise ValueError("full")\n'
        "        self.items.append(item)"
    ]
    assert "Fix the buggy Python function in push.py" in draw.prompts[0]
    assert '"""\nPut an item on top.\n"""' in draw.prompts[0]


def test_a_method_is_shown_below_its_classes_with_the_names_that_they_use(workspace: Path) -> None:
    Path("m.py").write_text(
        "import abc\nimport re\n\nBASE = abc.ABC\n\n\nclass Outer(\n    BASE,\n):\n"
        '    """Outer."""\n\n    class Inner:\n        x = 1\n\n        @staticmethod\n'
        "        def f(n):\n            return n\n"
    )
    Path("test_m.py").write_text(
        "from m import Outer\n\n\ndef test_f():\n    assert Outer.Inner.f(1) == 2\n"
    )
    answer = (
        "BASE = abc.ABC\n\n\nclass Outer(\n    BASE,\n):\n    class Inner:\n"
        "        @staticmethod\n        def f(n):\n            return n"
    )
    draw = Scripted([f"{answer} + 1\n"])
    found = repair(Path("m.py"), Path("test_m.py"), "Outer.Inner.f", draw=draw)
    assert found.outcome == "repaired" and draw.programs == [answer]


@pytest.mark.parametrize(
    "answer",
    [
        "def push(self, item):\n    pass",
        "class Stack:\n  def push(self, item):\n    pass",
        "class Stack:\n    pass",
        "class Other:\n    def push(self, item):\n        pass",
    ],
)
def test_an_answer_without_the_method_where_it_stands_gives_no_candidate(answer: str) -> None:
    assert with_answer(Source(Path("stacks.py"), PROGRAM), "Stack.push", answer) is None


def test_tests_of_several_functions_are_of_each_of_them(file: Path) -> None:
    Path("stacks.py").write_text(
        "def double(n):\n    return n + n\n\n\ndef half(n):\n    return n // 3\n"
    )
    Path("test_stacks.py").write_text(
        "from stacks import double, half\n\n\ndef test_half():\n    assert half(0) == 0\n\n\n"
        "def test_both():\n    assert half(double(3)) == 3\n\n\n"
        "def test_neither():\n    assert double(1) == 3\n"
    )
    right = "def half(n):\n    return n // 2\n"
    found = repair(file, Path("test_stacks.py"), "half", draw=Scripted([right]))
    assert (found.outcome, [one.function for one in found.left]) == ("repaired", ["double"])
    assert WHOLE in {one.function for one in found.failed}
    assert coral(file, "--tests", "test_stacks.py") == 2


def test_in_a_folder_tests_of_classes_are_told_and_not_tried(file: Path) -> None:
    Path("mine").mkdir()
    file.rename("mine/stacks.py")
    text = TESTS.partition("def test_wrong()")[0]
    Path("mine/test_stacks.py").write_text(text)
    (found,) = repair_folder(Path("mine"), draw=Scripted())
    assert not isinstance(found, Repair)
    assert "name the one to repair" in found.reason


@pytest.mark.parametrize("given", ["lambda: 1", "b'x'", "[len]", "{1: {2j}}", "Own()"])
def test_what_a_test_cannot_give_a_program_is_told_before_anything_is_drawn(
    file: Path, given: str
) -> None:
    Path("test_stacks.py").write_text(
        "from stacks import Stack\n\n\nclass Own:\n    pass\n\n\n"
        f"def test_a():\n    stack = Stack()\n    stack.push({given})\n"
    )
    with pytest.raises(CoralError, match="cannot be given to the program by a test"):
        repair(file, Path("test_stacks.py"), "Stack.push", draw=Scripted())


HOSTILE = {
    "equal to everything": "class E:\n            __eq__ = lambda *_: True\n"
    "            __ne__ = lambda *_: False\n            __hash__ = None\n        return E()",
    "an integer that is": "class E(int):\n            __eq__ = lambda *_: True\n"
    "            __int__ = lambda *_: 2\n        return E(1)",
    "a list that is": "class E(list):\n            __eq__ = lambda *_: True\n        return E([2])",
    "a number in name alone": "import numbers\n        class E:\n"
    "            numerator = denominator = 1\n"
    "            __eq__ = lambda *_: True\n            __ne__ = lambda *_: False\n"
    "        numbers.Rational.register(E)\n        return E()",
    "contains everything": "class E:\n            __contains__ = lambda *_: True\n"
    "            __lt__ = __gt__ = __le__ = __ge__ = lambda *_: True\n        return E()",
    "another dispatcher": "import sys, program_objects as p\n"
    "        m = sys.modules['program_under_test']\n"
    "        m.program_under_test = p.perform = lambda *_: p.ProgramObject(0)\n        return 1",
    "other operations": "import program_objects as p\n"
    "        p._OPERATIONS.update(dict.fromkeys(p._OPERATIONS, lambda *_: True))\n        return 1",
}


@pytest.mark.parametrize(
    "before",
    [
        "",
        "from dataclasses import dataclass\n\n\n@dataclass(order=True)\nclass D:\n    x: int\n\n\n",
    ],
)
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_what_a_program_returns_does_not_decide_a_comparison_with_data(
    workspace: Path, body: str, before: str
) -> None:
    Path("m.py").write_text(f"{before}class Box:\n    def two(self):\n        return 1\n")
    Path("test_m.py").write_text(
        "from m import Box\n\n\ndef test_equal():\n    assert Box().two() == 2\n\n\n"
        "def test_not():\n    assert not Box().two() != 2\n\n\n"
        "def test_order():\n    assert Box().two() > 1\n\n\n"
        "def test_member():\n    assert 7 in Box().two()\n\n\n"
        "def test_reflected():\n    assert [2] == [Box().two()]\n"
    )
    source = read_source(Path("m.py"))
    changed = with_answer(source, "Box.two", f"class Box:\n    def two(self):\n        {body}\n")
    assert changed is not None
    tested = parse_all(source, Path("test_m.py"))
    (found,) = failures([changed], tested, params.load().verdicts)
    assert len(found) == 5
