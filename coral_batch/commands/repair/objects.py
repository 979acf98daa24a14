"""The program's objects as its tests use them, from another process.

This module's text runs in the jail, on both sides of the border that the tests' calls cross (see
`coral_batch.verdicts.inside.referee`): `perform` in the program's process, `ProgramObject` in that
of the tests. Plain data crosses as a copy, in either direction. Everything else of the program, be
it an instance, a class or a function, stays where it is, and the tests hold a stand-in for it.

What a comparison says has to come from the tests' process, where the program cannot reach it. So
plain data is compared there, and the program is asked only where one of its classes defines the
operator: with anything (`own`), or among its own objects, as dataclasses do (`among`).

An exception of the program is raised in the tests' process as well, as the nearest class that
Python itself has, so that tests can catch it.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

PROGRAM = "program_under_test"
"""The program's module, and in it the function that tests call: `perform`."""

UNCROSSABLE = "cannot be given to the program by a test"

own: frozenset[str] = frozenset()
"""The operators that classes of the program define, such as ``__eq__``; set by the tests' file."""

among: frozenset[str] = frozenset()
"""Those that its classes have for their own instances alone, likewise: dataclasses' ``__eq__``."""

cross: Any = None
"""The function under test, which takes a call to the program; set by the tests' file."""

_PLAIN = (int, float, str, bool, type(None))
_LISTED: tuple[type, ...] = (list, tuple, set, frozenset)
_objects: list[Any] = []
_places: dict[int, int] = {}
_met: dict[int | str, ProgramObject] = {}


def perform(operation: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Do something with objects of the program, in its process.

    Args:
        operation: a key of `_OPERATIONS`.
        arguments: its arguments, with stand-ins for objects of the program.
        keywords: its keyword arguments, likewise.
    """
    values = [_found(argument) for argument in arguments]
    named = {name: _found(argument) for name, argument in keywords.items()}
    try:
        result = _OPERATIONS[operation](*values, **named)
    except Exception as error:
        raise _built_in(error) from None
    return _crossing(result)


def _built_in(error: Exception) -> Exception:
    """Return an exception as one of the nearest class that Python has, with its message."""
    if _is_built_in(type(error)):
        return error
    return _made(type(error), str(error))


def _is_built_in(kind: type) -> bool:
    return vars(builtins).get(kind.__name__) is kind


def _made(kind: type[Exception], message: str) -> Exception:
    """Return an exception of the nearest class that Python has and that a message is enough for."""
    for base in kind.__mro__:
        if _is_built_in(base):
            with contextlib.suppress(TypeError):
                made: Exception = base(_Message(message))
                return made
    return Exception(message)


class _Message(str):
    """An exception's message, which KeyError shows as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def _found(value: Any) -> Any:
    """Return what the tests gave, objects of the program in the place of their stand-ins.

    Without any it is what they gave itself: what the program does to it is done to it there.
    """
    kind = type(value)
    if kind is ProgramObject:
        place = value.program_object
        if isinstance(place, int):
            return _objects[place]
        module = sys.modules[PROGRAM]
        return getattr(module, place) if place else module
    if not _holds(value):
        return value
    if kind is dict:
        return {_found(key): _found(item) for key, item in value.items()}
    return kind(map(_found, value))


def _holds(value: Any) -> bool:
    """Whether there is a stand-in in a value."""
    kind = type(value)
    if kind is dict:
        return any(map(_holds, [*value.keys(), *value.values()]))
    return kind is ProgramObject or (kind in _LISTED and any(map(_holds, value)))


def _crossing(value: Any) -> Any:
    """Return what crosses: plain data itself, and stand-ins in the place of everything else."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is dict:
        pairs = [(item, _crossing(item)) for pair in value.items() for item in pair]
        items = [crossing for _, crossing in pairs]
        changed = any(item is not crossing for item, crossing in pairs)
        return dict(zip(items[::2], items[1::2], strict=True)) if changed else value
    if kind in _LISTED:
        listed = list(value)
        found = list(map(_crossing, listed))
        return kind(found) if any(map(operator.is_not, found, listed)) else value
    place = _places.setdefault(id(value), len(_objects))
    if place == len(_objects):
        _objects.append(value)  # and so nothing else gets its id
    return ProgramObject(place)


def _plain(value: Any) -> Any:
    """Return the built-in value that an instance of a subclass holds; itself where there is none.

    By the methods of the built-in type: what the subclass overrides has no say. A scalar of numpy
    holds one as well.
    """
    for base, read in _READ.items():
        if isinstance(value, base):
            return read(value)
    return value.item() if isinstance(value, _loaded("numpy", "generic")) else value


def _exact(value: Any) -> tuple[Any, ...]:
    """Return what writes an exact number: its class's name and arguments; nothing for all else."""
    if isinstance(value, _loaded("decimal", "Decimal")):
        return "Decimal", str(value)
    if isinstance(value, _loaded("numbers", "Rational")):
        return "Fraction", int(value.numerator), int(value.denominator)
    return ()


def _loaded(module: str, name: str) -> Any:
    """Return a class of a module; no class at all where the program has not imported it."""
    return getattr(sys.modules.get(module), name, ())


_READ: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    dict: lambda value: dict(dict.items(value)),
    list: lambda value: list(list.__iter__(value)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
}


def _look(value: Any, name: str) -> tuple[Any, ...]:
    """Return an attribute in a tuple; an empty one where there is none."""
    missing = object()
    found = getattr(value, name, missing)
    return () if found is missing else (found,)


def _step(iterator: Iterator[Any]) -> tuple[Any, ...]:
    """Return the next item in a tuple; an empty one at the end."""
    try:
        return (next(iterator),)
    except StopIteration:
        return ()


def _length(value: Any) -> tuple[int, ...]:
    """Return the length in a tuple; an empty one where there is none to ask for."""
    return (len(value),) if hasattr(type(value), "__len__") else ()


def _leave(manager: Any, kind: str | None, message: str) -> Any:
    """Leave a with statement, by an exception of Python's or by its end."""
    if kind is None:
        return manager.__exit__(None, None, None)
    error = _made(vars(builtins)[kind], message)
    return manager.__exit__(type(error), error, None)


_COMPARISONS = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_ARITHMETIC = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and_", "or_", "xor", "lshift", "rshift"),
)
_UNARY = ("neg", "pos", "abs", "invert", "index")
_OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in (*_COMPARISONS, *_ARITHMETIC, *_UNARY)},
    **{f"i{name.strip('_')}": getattr(operator, f"i{name.strip('_')}") for name in _ARITHMETIC},
    **{name: getattr(operator, name) for name in ("getitem", "setitem", "delitem", "contains")},
    "look": _look,
    "set": setattr,
    "delete": delattr,
    "call": lambda called, /, *arguments, **keywords: called(*arguments, **keywords),
    "is": operator.is_,
    "isinstance": lambda kind, value: isinstance(value, kind),
    "plain": _plain,
    "exact": _exact,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "enter": lambda manager: manager.__enter__(),
    "exit": _leave,
    "iter": iter,
    "step": _step,
    "len": _length,
    "bool": bool,
    "hash": hash,
    "str": str,
    "repr": repr,
    "format": format,
    "round": round,
    "int": int,
    "float": float,
}
# What comes in a tuple, and what the tests did not ask for.
_IN_TUPLE = {"look", "step", "len"}
_ASIDE = {"plain", "exact", "iter", "is", "isinstance", "hash"}


def _ask(operation: str, /, *arguments: Any, **keywords: Any) -> Any:
    """Let the program do something; return what comes of it, in the tests' process."""
    for argument in (*arguments, *keywords.values()):
        _check(argument)
    before = cross.returned
    try:
        found = cross(operation, list(arguments), keywords)
        cross.returned = _returned(operation, cross.returned, before)
        return _same(found)
    except _stopped() as stopped:
        error = _raised(*stopped.args)
        if error is None:
            raise
        raise error from stopped


def _returned(operation: str, text: str, before: str) -> str:
    """Return what a failing test is told to have got last, as text.

    Args:
        operation: what the program did.
        text: what came of it, as text.
        before: what came before.
    """
    if operation in _ASIDE or (operation in _IN_TUPLE and text == "()"):
        return before
    return text[1:].removesuffix(",)") if operation in _IN_TUPLE else text


def _stopped() -> type[BaseException]:
    """Return what is raised in the tests' process when a call does not return."""
    found: type[BaseException] = sys.modules[type(cross).__module__].Stopped
    return found


def _raised(verdict: str, detail: str) -> Exception | None:
    """Return the exception that a call ended with; None where it ended otherwise."""
    name, _, message = detail.partition(": ")
    kind = vars(builtins).get(name) if verdict == "ERROR" else None
    if not isinstance(kind, type) or not issubclass(kind, Exception):
        return None
    try:
        return kind(_Message(message)) if message else kind()
    except TypeError:  # it takes other arguments
        return None


def _same(value: Any) -> Any:
    """Return what came from the program, with the same stand-in for the same object, for `is`."""
    kind = type(value)
    if kind is ProgramObject:
        return _met.setdefault(value.program_object, value)
    if not _holds(value):
        return value
    if kind is dict:
        return {_same(key): _same(item) for key, item in value.items()}
    return kind(map(_same, value))


def _check(value: Any) -> None:
    """Check that the program can be given a value of the tests.

    Raises:
        Stopped: it is neither plain data nor an object of the program. No test can catch that.
    """
    kind = _foreign(value)
    if kind is not None:
        cross.stop("ERROR", f"a value of the type {kind.__name__} {UNCROSSABLE}")


def _foreign(value: Any) -> type | None:
    """Return the type of what in a value the program cannot be given; None where it can all."""
    kind = type(value)
    if kind in _PLAIN or kind is ProgramObject:
        return None
    if kind is dict:
        value = [part for pair in value.items() for part in pair]
    elif kind not in _LISTED:
        return kind
    return next(filter(None, map(_foreign, value)), None)


class ProgramObject:
    """Stands in the tests' process for an object of the program.

    Attributes:
        program_object: its number, or its name in the module; an empty one for the module itself.
    """

    program_object: int | str

    def __init__(self, place: int | str) -> None:
        object.__setattr__(self, "program_object", place)

    def __getattr__(self, name: str) -> Any:
        if name == "program_object":  # of one that is just being read
            raise AttributeError(name)
        found = _ask("look", self, name)
        if not found:
            raise AttributeError(f"the object has no attribute {name!r}")
        return found[0]

    def __setattr__(self, name: str, value: Any) -> None:
        _ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        _ask("delete", self, name)

    def __call__(self, /, *arguments: Any, **keywords: Any) -> Any:
        return _ask("call", self, *arguments, **keywords)

    def __hash__(self) -> int:
        if cross is None:  # in the program's process, where it stands in sets of the tests alone
            return hash(self.program_object)
        if "__hash__" in own | among:
            return int(_ask("hash", self))
        here = _value(self)
        return hash(here.program_object if type(here) is ProgramObject else here)

    def __bool__(self) -> bool:
        return bool(_ask("bool", self))

    def __contains__(self, item: Any) -> bool:
        if "__contains__" in own:
            return bool(_ask("contains", self, item))
        here = _value(self)
        if type(here) is not ProgramObject:
            return item in here
        return any(item is other or item == other for other in self)

    def __copy__(self) -> Any:
        return _ask("copy", self)

    def __deepcopy__(self, _: object) -> Any:
        return _ask("deepcopy", self)

    def __enter__(self) -> Any:
        return _ask("enter", self)

    def __exit__(self, kind: type | None, error: BaseException | None, _: object) -> bool:
        if error is not None and not isinstance(error, Exception):
            return False  # what ends the test
        known = None if error is None else type(_built_in(error)).__name__
        return bool(_ask("exit", self, known, "" if error is None else str(error)))

    def __iter__(self) -> Iterator[Any]:
        iterator = _ask("iter", self)
        while item := _ask("step", iterator):
            yield item[0]

    def __next__(self) -> Any:
        found = _ask("step", self)
        if not found:
            raise StopIteration
        return found[0]

    def __instancecheck__(self, instance: Any) -> bool:
        return bool(_ask("isinstance", self, instance))

    def __len__(self) -> int:
        found = _ask("len", self)
        if not found:  # `list` and others look for a length and do without
            raise TypeError("the object has no len()")
        return int(found[0])

    def __getitem__(self, key: Any) -> Any:
        return _ask("getitem", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _ask("setitem", self, key, value)

    def __delitem__(self, key: Any) -> None:
        _ask("delitem", self, key)

    def __str__(self) -> str:
        return str(_ask("str", self))

    def __repr__(self) -> str:
        return str(_ask("repr", self))

    def __format__(self, form: str) -> str:
        return str(_ask("format", self, form))

    def __round__(self, *digits: int) -> Any:
        return _ask("round", self, *digits)

    def __int__(self) -> int:
        return int(_ask("int", self))

    def __float__(self) -> float:
        return float(_ask("float", self))


def _value(value: Any) -> Any:
    """Return the data of what is data but for its class; itself else."""
    here = _ask("plain", value) if type(value) is ProgramObject else value
    if type(here) is not ProgramObject:
        return here
    kind, *arguments = _ask("exact", here) or ("",)
    if kind == "Decimal":
        from decimal import Decimal  # here, since few programs have one

        return Decimal(*arguments)
    if kind == "Fraction":
        from fractions import Fraction

        return Fraction(*arguments)
    return here


def _comparison(name: str, reflected: str) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: Any) -> Any:
        # `!=` is the opposite of `==` where it is not defined itself.
        names = {f"__{name}__", f"__{reflected}__", "__eq__" if name == "ne" else f"__{name}__"}
        asked = own & names or (among & names and type(other) is ProgramObject)
        if asked and _foreign(other) is None:
            return _ask(name, self, other)
        here = _value(self)
        if type(here) is ProgramObject:
            _check(other)
        there = _value(other)
        kinds = {type(here), type(there)}
        if ProgramObject not in kinds:
            return getattr(operator, name)(here, there)
        if name in ("eq", "ne") and kinds <= {ProgramObject, type(None)}:
            same = here is not None and there is not None and bool(_ask("is", here, there))
            return same is (name == "eq")
        raise TypeError(f"no class of the program defines the comparison {name} of an object")

    return compare


def _operation(name: str, turned: bool) -> Callable[[Any, Any], Any]:
    def operate(self: Any, other: Any) -> Any:
        return _ask(name, other, self) if turned else _ask(name, self, other)

    return operate


def _unary(name: str) -> Callable[[Any], Any]:
    return lambda self: _ask(name, self)


for _name, _other in _COMPARISONS.items():
    setattr(ProgramObject, f"__{_name}__", _comparison(_name, _other))
for _name in _ARITHMETIC:
    setattr(ProgramObject, f"__{_name.strip('_')}__", _operation(_name, False))
    setattr(ProgramObject, f"__r{_name.strip('_')}__", _operation(_name, True))
    setattr(ProgramObject, f"__i{_name.strip('_')}__", _operation(f"i{_name.strip('_')}", False))
for _name in _UNARY:
    setattr(ProgramObject, f"__{_name}__", _unary(_name))
