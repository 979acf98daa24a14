"""Results that are not what they seem."""

from typing import Any

from tests.hostile import Hostile, attacks, hostile


def _returned(name: str, kinds: str, expression: str, *expected: Any, detail: str = "") -> Hostile:
    """Return a program with this result; `answer(1)` has the expected one, if there is one."""
    code = f"def answer(n):\n    return {expression}\n"
    return hostile(name, kinds, code, *(((1,), one) for one in expected), detail=detail)


RESULTS = [
    *attacks(
        """
#: an object that equals everything -> FAIL -> returned <answer.Odd object>
class Odd:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
#: an object that claims to be an int -> FAIL
class Odd:
    __class__ = int
    def __index__(self): return 2
    __int__ = __index__
    def __eq__(self, other): return other == 2
#: a class whose class equals int -> FAIL -> returned <answer.Odd object>
class Meta(type):
    def __hash__(cls): return hash(int)
    def __eq__(cls, other): return True
    def __instancecheck__(cls, thing): return True
class Odd(metaclass=Meta):
    def __repr__(self): return "2"
    def __lt__(self, other): return True
    __gt__ = __lt__
#: an object whose class is a property -> FAIL
class Odd:
    __class__ = property(lambda self: int)
    def __eq__(self, other): return True
#: an iterator whose length lies -> FAIL
class Odd:
    def __iter__(self): return self
    def __length_hint__(self): return 1 << 62
    def __next__(self): raise StopIteration
#: an iterator that recurses without end -> ERROR -> RecursionError
class Odd:
    def __iter__(self): return self
    def __next__(self): return self.__next__()
#: a class without a usable name -> FAIL
class Meta(type):
    __module__ = property(lambda cls: 1 / 0)
    def __getattribute__(cls, name): raise RuntimeError
    def mro(cls): return [cls, object]
class Odd(metaclass=Meta):
    pass
#: an iterator that returns itself for ever -> FAIL
#= ((1,), [1])
class Odd:
    def __iter__(self): return self
    def __next__(self): return self
""",
        "{}\ndef answer(n):\n    return Odd()",
    ),
    *attacks(
        """
#: a number that equals everything -> FAIL -> returned 7
class Yes(int):
    def __eq__(self, other): return True
    def __int__(self): return 2
    def __index__(self): return 2
def answer(n):
    return Yes(7)
#: a str subclass that equals everything -> FAIL PASS -> returned 'xx'
#= (('xx',), 'ab')
#= (('ab',), 'ab')
class S(str):
    def __eq__(self, other): return True
    def __str__(self): return "ab"
    __hash__ = str.__hash__
def answer(text):
    return S(text)
#: equal keys of a lying class -> FAIL
#= ((1,), {'a': 1})
#= ((1,), {'a': 1, 'b': 2})
class K(str):
    def __hash__(self): return id(self)
    def __eq__(self, other): return self is other
def answer(n):
    return {K("a"): 1, K("a"): 2}
#: a list whose iterator lies -> FAIL -> returned [9]
#= ((1,), [1, 2])
class L(list):
    def __iter__(self): return iter([1, 2])
    def __getitem__(self, index): return index + 1
    def __len__(self): return 2
    def __eq__(self, other): return True
def answer(n):
    return L([9])
#: a dict whose items lie -> FAIL -> returned {'a': 9}
#= ((1,), {'a': 1})
class D(dict):
    def items(self): return [("a", 1)]
    def __eq__(self, other): return True
def answer(n):
    return D(a=9)
#: an int subclass that writes itself as another -> FAIL -> returned 1000000
class Liar(int):
    def __repr__(self): return "2"
    def __format__(self, form): return "2"
    def bit_length(self): return 1
    __str__ = __repr__
def answer(n):
    return Liar(10**30)
#: a finalizer that hangs -> TIMEOUT
#= ((1,), 2)
class Hang:
    def __del__(self):
        while True: pass
def answer(n):
    Hang()
    return 2 * n
#: a finalizer that hangs at the very end -> PASS
class Hang:
    def __del__(self):
        while True: pass
kept = Hang()
def answer(n):
    return 2 * n
""",
    ),
    *attacks(
        """
#: a generator that will not be closed -> FAIL
#= ((1,), [1])
    while True:
        try:
            yield n
        except GeneratorExit:
            pass
#: an endless generator -> FAIL -> a result that is too large
#= ((1,), [1])
    while True: yield n
#: a generator that hangs -> TIMEOUT
#= ((1,), [1])
    yield n
    while True: pass
#: a generator that raises after the right items -> ERROR -> KeyError: 'late'
#= ((1,), [1])
    yield n
    raise KeyError('late')
#: a list that holds itself -> FAIL
#= ((1,), [1, [1, [1]]])
    a = [n]
    a.append(a)
    return a
#: a list nested a hundred thousand deep -> FAIL
#= ((1,), [[[]]])
    a = []
    for _ in range(100_000): a = [a]
    return a
#: two to the sixtieth items in sixty lists -> FAIL
#= ((1,), [[1], [1]])
    a = [n]
    for _ in range(60): a = [a, a]
    return a
""",
        "def answer(n):\n{}",
    ),
    hostile("a generator for a list", "PASS", "def answer(n):\n    yield n\n", ((1,), [1])),
    hostile("a coroutine", "FAIL", "async def answer(n):\n    return 2 * n\n"),
    hostile("nothing", "FAIL", "def answer(n):\n    2 * n\n", detail="None"),
    hostile("a thousand digits", "PASS", "def answer(n):\n    return 10 ** n\n", ((999,), 10**999)),
    _returned("an honest program", "PASS", "2 * n"),
    _returned("a float of the same value", "PASS", "2.0 * n"),
    _returned(
        "an enumeration of the number", "PASS", "__import__('enum').IntEnum('E', {'A': 2 * n}).A"
    ),
    _returned("a complex of the same value", "FAIL", "complex(2 * n)"),
    _returned("True for 1", "FAIL", "True", 1),
    _returned("1 for True", "FAIL", "1", True),
    _returned("-0.0 for 0", "PASS", "-0.0", 0),
    _returned("NaN for a number", "FAIL", "float('nan')"),
    _returned("NaN for NaN", "FAIL", "float('nan')", float("nan")),
    _returned("infinity", "FAIL", "float('inf')", detail="inf"),
    _returned("a string of the number", "FAIL", "str(2 * n)"),
    _returned("bytes for a string", "FAIL", "b'ab'", "ab"),
    _returned("half a surrogate pair", "FAIL", "'\\ud800'", "a"),
    _returned("a tuple for a list", "PASS", "(n, (n,))", [1, [1]]),
    _returned("a set for a list", "FAIL", "{n}", [1]),
    _returned("a range for a list", "FAIL", "range(2)", [0, 1]),
    _returned("a number as key", "FAIL", "{1: 2}", {"1": 2}),
    _returned("a dict", "PASS", "{'a': n}", {"a": 1}),
    _returned(
        "a default dict", "PASS", "__import__('collections').defaultdict(int, a=n)", {"a": 1}
    ),
    _returned("map for a list", "PASS", "map(abs, [-n])", [1]),
    _returned(
        "a million items", "FAIL", "[n] * 1_000_000", [1], detail="a result that is too large"
    ),
    _returned("a string of 50 MB", "FAIL", "'a' * 50_000_000"),
    _returned("a million digits", "FAIL", "1 << 3_000_000"),
    _returned(
        "400 digits for a float", "FAIL", "10**400", 1.5, detail="an integer of about 400 digits"
    ),
    _returned(
        "a class with a name of a million letters", "FAIL", "type('A' * 1_000_000, (), {})()"
    ),
    _returned("the function itself", "FAIL", "answer"),
    _returned("an exception, returned", "FAIL", "ValueError(2 * n)"),
]
