"""Results that are not what they seem."""

from tests.hostile import attacks, hostile

NAN = float("nan")

RESULTS = [
    *attacks(
        """
#: an object that equals everything -> FAIL -> returned <answer.Yes object>
class Yes:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
def answer(n):
    return Yes()
#: a number that equals everything -> FAIL -> returned 7
class Yes(int):
    def __eq__(self, other): return True
    def __int__(self): return 2
    def __index__(self): return 2
def answer(n):
    return Yes(7)
#: an enumeration that holds the number -> PASS
import enum
class Number(enum.IntEnum):
    TWO = 2
    MANY = 42
def answer(n):
    return Number(2 * n)
#: a str subclass that equals everything -> FAIL PASS -> returned 'xx'
#= (('xx',), 'ab')
#= (('ab',), 'ab')
class S(str):
    def __eq__(self, other): return True
    def __str__(self): return "ab"
    __hash__ = str.__hash__
def answer(text):
    return S(text)
#: a default dict -> PASS
#= ((1,), {'a': 1})
import collections
def answer(n):
    return collections.defaultdict(int, a=n)
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
#: an object that claims to be an int -> FAIL
class Liar:
    __class__ = int
    def __index__(self): return 2
    __int__ = __index__
    def __eq__(self, other): return other == 2
def answer(n):
    return Liar()
#: a class whose class equals int -> FAIL -> returned <answer.Liar object>
class Meta(type):
    def __hash__(cls): return hash(int)
    def __eq__(cls, other): return True
    def __instancecheck__(cls, thing): return True
class Liar(metaclass=Meta):
    def __repr__(self): return "2"
    def __lt__(self, other): return True
    __gt__ = __lt__
def answer(n):
    return Liar()
#: an object whose class is a property -> FAIL
class Liar:
    __class__ = property(lambda self: int)
    def __eq__(self, other): return True
def answer(n):
    return Liar()
#: an int subclass that writes itself as another -> FAIL -> returned 1000000
class Liar(int):
    def __repr__(self): return "2"
    def __format__(self, form): return "2"
    def bit_length(self): return 1
    __str__ = __repr__
def answer(n):
    return Liar(10**30)
#: an iterator whose length lies -> FAIL
class Liar:
    def __iter__(self): return self
    def __length_hint__(self): return 1 << 62
    def __next__(self): raise StopIteration
def answer(n):
    return Liar()
#: an iterator that recurses without end -> ERROR -> RecursionError
class Deep:
    def __iter__(self): return self
    def __next__(self): return self.__next__()
def answer(n):
    return Deep()
#: a generator that will not be closed -> FAIL
#= ((1,), [1])
def answer(n):
    while True:
        try:
            yield n
        except GeneratorExit:
            pass
#: a finalizer that hangs -> TIMEOUT
#= ((1,), 2)
class Hang:
    def __del__(self):
        while True:
            pass
def answer(n):
    Hang()
    return 2 * n
#: a finalizer that hangs at the very end -> PASS
class Hang:
    def __del__(self):
        while True:
            pass
kept = Hang()
def answer(n):
    return 2 * n
#: a class without a usable name -> FAIL
class Meta(type):
    __module__ = property(lambda cls: 1 / 0)
    def __getattribute__(cls, name): raise RuntimeError
    def mro(cls): return [cls, object]
class Odd(metaclass=Meta):
    pass
def answer(n):
    return Odd()
#: a class with a name of a million letters -> FAIL
def answer(n):
    return type('A' * 1_000_000, (), {})()
#: an endless generator -> FAIL -> a result that is too large
#= ((1,), [1])
def answer(n):
    while True:
        yield n
#: a generator that raises after the right items -> ERROR -> KeyError: 'late'
#= ((1,), [1])
def answer(n):
    yield n
    raise KeyError('late')
#: an iterator that returns itself for ever -> FAIL
#= ((1,), [1])
class I:
    def __iter__(self): return self
    def __next__(self): return self
def answer(n):
    return I()
#: a million items -> FAIL -> a result that is too large
#= ((1,), [1])
def answer(n):
    return [n] * 1_000_000
#: four hundred digits for a float -> FAIL -> an integer of about 400 digits
#= ((1,), 1.5)
def answer(n):
    return 10**400
""",
    ),
    hostile("an honest program", "PASS", "def answer(n):\n    return 2 * n\n"),
    hostile("a float of the same value", "PASS", "def answer(n):\n    return 2.0 * n\n"),
    hostile("a complex of the same value", "FAIL", "def answer(n):\n    return complex(2 * n)\n"),
    hostile("True for 1", "FAIL", "def answer(n):\n    return True\n", ((1,), 1)),
    hostile("1 for True", "FAIL", "def answer(n):\n    return 1\n", ((1,), True)),
    hostile("-0.0 for 0", "PASS", "def answer(n):\n    return -0.0\n", ((1,), 0)),
    hostile("NaN for a number", "FAIL", "def answer(n):\n    return float('nan')\n"),
    hostile("NaN for NaN", "FAIL", "def answer(n):\n    return float('nan')\n", ((1,), NAN)),
    hostile("infinity", "FAIL", "def answer(n):\n    return float('inf')\n", detail="inf"),
    hostile("nothing", "FAIL", "def answer(n):\n    2 * n\n", detail="None"),
    hostile("a string of the number", "FAIL", "def answer(n):\n    return str(2 * n)\n"),
    hostile("bytes for a string", "FAIL", "def answer(n):\n    return b'ab'\n", ((1,), "ab")),
    hostile("half a surrogate pair", "FAIL", "def answer(n):\n    return '\\ud800'\n", ((1,), "a")),
    hostile(
        "a tuple for a list", "PASS", "def answer(n):\n    return (n, (n,))\n", ((1,), [1, [1]])
    ),
    hostile("a set for a list", "FAIL", "def answer(n):\n    return {n}\n", ((1,), [1])),
    hostile("a range for a list", "FAIL", "def answer(n):\n    return range(2)\n", ((1,), [0, 1])),
    hostile("a number as key", "FAIL", "def answer(n):\n    return {1: 2}\n", ((1,), {"1": 2})),
    hostile("a dict", "PASS", "def answer(n):\n    return {'a': n}\n", ((1,), {"a": 1})),
    hostile("a generator for a list", "PASS", "def answer(n):\n    yield n\n", ((1,), [1])),
    hostile("map for a list", "PASS", "def answer(n):\n    return map(abs, [-n])\n", ((1,), [1])),
    hostile(
        "a generator that hangs",
        "TIMEOUT",
        "def answer(n):\n    yield n\n    while True:\n        pass\n",
        ((1,), [1]),
    ),
    hostile("a coroutine", "FAIL", "async def answer(n):\n    return 2 * n\n"),
    hostile(
        "a list that holds itself",
        "FAIL",
        "def answer(n):\n    a = [n]\n    a.append(a)\n    return a\n",
        ((1,), [1, [1, [1]]]),
    ),
    hostile(
        "a list nested a hundred thousand deep",
        "FAIL",
        "def answer(n):\n    a = []\n    for _ in range(100_000):\n        a = [a]\n    return a\n",
        ((1,), [[[]]]),
    ),
    hostile(
        "two to the sixtieth items in sixty lists",
        "FAIL",
        "def answer(n):\n    a = [n]\n    for _ in range(60):\n        a = [a, a]\n    return a\n",
        ((1,), [[1], [1]]),
    ),
    hostile("a string of 50 MB", "FAIL", "def answer(n):\n    return 'a' * 50_000_000\n"),
    hostile("a million digits", "FAIL", "def answer(n):\n    return 1 << 3_000_000\n"),
    hostile("a thousand digits", "PASS", "def answer(n):\n    return 10 ** n\n", ((999,), 10**999)),
    hostile("the function itself", "FAIL", "def answer(n):\n    return answer\n"),
    hostile("an exception, returned", "FAIL", "def answer(n):\n    return ValueError(2 * n)\n"),
]
