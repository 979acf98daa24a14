"""Serialise arguments and results, which enter and leave the jail as data.

A document is a JSON array ``[root, entry 0, entry 1, ...]``. The root and all items of an entry are
cells. Containers are entries, referenced by number, so that sharing, cycles and any depth fit into
three levels of JSON.

    cell   null, true, false, an integer below 2**63, a float (NaN and Infinity too), a string,
           ["i", hexadecimal] for larger integers, [n] for entry n,
           ["x", type name] for a value of any other type
    entry  ["l", ...] list, ["t", ...] tuple, ["s", ...] set, ["f", ...] frozenset,
           ["g", ...] an iterator, listed, ["d", key, value, ...] dict,
           ["o", "module.Class", name, value, ...] instance of a class of a support module

Instances of subclasses of built-in types are written as the built-in value, read with the built-in
type's methods. Nothing that a class overrides is called (`__eq__`, `__iter__` of a list subclass,
`__repr__`), except for iterators, which are iterated.
"""

from __future__ import annotations

import sys
from _json import encode_basestring_ascii as _quote
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

MAX_CELLS = 200_000
MAX_BYTES = 2_000_000

# Support modules whose classes can be serialised, e.g. {"node"}; set by the runners.
support_modules: set[str] = set()

_SMALL = 1 << 63
_INFINITY = float("inf")
_CONSTANTS = {None: "null", True: "true", False: "false"}


class TooLarge(Exception):
    """The value has more than `MAX_CELLS` cells or its document more than `MAX_BYTES` bytes."""


class Opaque:
    """Placeholder for a value that cannot be serialised; a test that looks at it fails."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __bool__(self) -> bool:
        raise TypeError(f"the test uses {self!r}, which cannot leave the program's process")

    def __eq__(self, other: object) -> bool:
        return self is other or bool(self)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{self.kind} object>"


def encode(root: Any, known: Sequence[Any] = ()) -> tuple[str, list[Any]]:
    """Write `root` as a document.

    Args:
        root: any value.
        known: containers with fixed numbers: entry i is ``known[i]``, written even if the root does
            not refer to it.

    Returns:
        The document's text, and the list of its entries' values.

    Raises:
        TooLarge: see there. Iterators may raise anything.
    """
    writer = _Writer(known)
    parts = [writer.cell(root)]
    size = len(parts[0])
    left = MAX_CELLS
    number = 0
    while number < len(writer.entries):
        head, items = _contents(writer.entries[number])
        number += 1
        written = [head]
        for item in items:
            left -= 1
            text = writer.cell(item)
            size += len(text) + 1
            if left < 0 or size > MAX_BYTES:
                raise TooLarge
            written.append(text)
        parts.append(f"[{','.join(written)}]")
        size += len(head) + 3
    return f"[{','.join(parts)}]", writer.entries


class _Writer:
    """Writes cells and numbers the entries that they refer to."""

    def __init__(self, known: Sequence[Any]) -> None:
        self.entries = list(known)
        self._numbers = {id(value): number for number, value in enumerate(self.entries)}

    def cell(self, value: Any) -> str:
        kind = type(value)
        # Not a dict lookup, which would call the metaclass's hash and equality.
        for base, write in _SCALARS:
            if issubclass(kind, base):
                return write(value)
        number = self._numbers.get(id(value))
        if number is None:
            if not (issubclass(kind, _CONTAINERS) or _is_support(kind) or _is_iterator(kind)):
                return f'["x",{_quote(_name(kind))}]'
            number = self._numbers[id(value)] = len(self.entries)
            self.entries.append(value)
        return f"[{number}]"


def _write_int(value: int) -> str:
    value = int.__int__(value)
    if -_SMALL < value < _SMALL:
        return int.__repr__(value)
    if int.bit_length(value) > MAX_BYTES * 4:
        raise TooLarge
    return f'["i","{value:x}"]'


def _write_float(value: float) -> str:
    value = float.__float__(value)
    if value in (_INFINITY, -_INFINITY):
        return "Infinity" if value > 0 else "-Infinity"
    text = float.__repr__(value)
    return "NaN" if text == "nan" else text


def _write_str(value: str) -> str:
    value = str.__str__(value)
    if len(value) > MAX_BYTES:
        raise TooLarge
    return _quote(value)


# Instances of their subclasses are written as the built-in value.
_SCALARS: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (bool, _CONSTANTS.__getitem__),
    (type(None), _CONSTANTS.__getitem__),
    (int, _write_int),
    (str, _write_str),
    (float, _write_float),
)
_CONTAINERS = (list, tuple, dict, set, frozenset)


def _contents(value: Any) -> tuple[str, Iterable[Any]]:
    """Return an entry's tag and its items."""
    kind = type(value)
    for base, mark, items in _READ:
        if issubclass(kind, base):
            return mark, items(value)
    if _is_support(kind):
        return f'"o",{_quote(_name(kind))}', _flat(object.__getattribute__(value, "__dict__"))
    return '"g"', value


def _flat(mapping: dict[Any, Any]) -> Iterator[Any]:
    return (part for item in dict.items(mapping) for part in item)


_READ: tuple[tuple[type, str, Any], ...] = (
    (list, '"l"', list.__iter__),
    (tuple, '"t"', tuple.__iter__),
    (dict, '"d"', _flat),
    (set, '"s"', set.__iter__),
    (frozenset, '"f"', frozenset.__iter__),
)


def decode(document: Any, known: Sequence[Any] = ()) -> tuple[Any, list[Any]]:
    """Rebuild the value of a parsed document from trusted built-in types.

    Args:
        document: the parsed text, in the form of `encode`.
        known: the value of entry i when the arguments were written: containers and objects keep
            their identity and get the entry's new content.

    Returns:
        The root and the list of all entries' values.

    Raises:
        ValueError: no such value exists, for example a set of lists.
    """
    reader = _Reader(document[1:], known)
    try:
        root = reader.cell(document[0])
        for number in range(len(reader.entries)):
            reader.build(number)
        reader.fill()
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return root, reader.values


class Listed:
    """An iterator over what the original one yielded; like that, it equals no list."""

    def __init__(self) -> None:
        self.left: list[Any] = []

    def __iter__(self) -> Listed:
        return self

    def __next__(self) -> Any:
        if not self.left:
            raise StopIteration
        return self.left.pop(0)


class _Reader:
    """Builds entries; mutable ones are first made empty, to allow cycles."""

    def __init__(self, entries: list[Any], known: Sequence[Any]) -> None:
        self.entries = entries
        self.values: list[Any] = [None] * len(entries)
        self._known = known
        self._ready = [False] * len(entries)

    def cell(self, written: Any) -> Any:
        if type(written) is not list:
            return written
        if len(written) == 1:
            return self.build(written[0])
        mark, text = written
        return int(text, 16) if mark == "i" else Opaque(text)

    def build(self, number: int) -> Any:
        if not self._ready[number]:
            self._ready[number] = True
            old = self._known[number] if number < len(self._known) else None
            self.values[number] = self._value(self.entries[number], old)
        return self.values[number]

    def _value(self, entry: list[Any], old: Any) -> Any:
        mark = entry[0]
        if mark == "o":
            value = old if _is_support(type(old)) else _instance(entry)
            # A frozenset around it is built before the rest is filled, and needs its hash.
            scalars = [
                (name, cell)
                for name, cell in zip(entry[2::2], entry[3::2], strict=False)
                if type(name) is str and type(cell) is not list
            ]
            object.__getattribute__(value, "__dict__").update(scalars)
            return value
        kind = _MARKS[mark]
        if type(old) is kind:
            return old
        if kind in (tuple, frozenset):
            return kind(self.cell(item) for item in entry[1:])
        return kind()

    def fill(self) -> None:
        """Fill lists and objects first, since the hash of a key may depend on them."""
        entries = zip(self.entries, self.values, strict=True)
        for entry, value in sorted(entries, key=lambda one: one[0][0] in ("s", "d")):
            mark = entry[0]
            if mark in ("t", "f"):
                continue
            content = [self.cell(item) for item in entry[2 if mark == "o" else 1 :]]
            if mark == "o":
                filled = object.__getattribute__(value, "__dict__")
            else:
                filled = value.left if mark == "g" else value
            filled.clear()
            if mark in ("l", "g"):
                filled.extend(content)
            elif mark == "s":
                filled.update(content)
            else:
                filled.update(zip(content[::2], content[1::2], strict=True))


_MARKS: dict[str, Any] = {
    "l": list,
    "g": Listed,
    "t": tuple,
    "d": dict,
    "s": set,
    "f": frozenset,
}


def _instance(entry: list[Any]) -> Any:
    module, _, name = entry[1].rpartition(".")
    kind = getattr(sys.modules.get(module), name, None) if module in support_modules else None
    if type(kind) is not type:
        raise ValueError("unknown class")
    return object.__new__(kind)


def _is_support(kind: type) -> bool:
    """Whether a class is defined at the top level of a support module."""
    if not support_modules:
        return False
    module, _, name = _name(kind).rpartition(".")
    return module in support_modules and getattr(sys.modules.get(module), name, None) is kind


def _is_iterator(kind: type) -> bool:
    return any("__next__" in _dict_of(base) for base in _mro_of(kind))


def _name(kind: type) -> str:
    """Return a class's name with its module, shortened; the metaclass cannot override it."""
    name = _name_of(kind)
    try:
        module = _module_of(kind)
    except AttributeError:
        module = None
    if type(module) is not str or module == "builtins":
        return name[:80]
    return f"{module[:80]}.{name[:80]}"


# The built-in descriptors, since a metaclass can override them.
_dict_of = type.__dict__["__dict__"].__get__
_mro_of = type.__dict__["__mro__"].__get__
_name_of = type.__dict__["__name__"].__get__
_module_of = type.__dict__["__module__"].__get__
