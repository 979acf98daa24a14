"""Check that tests can run in another process than the program under test."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from coral_batch.corpus.sources.names import loaded, stored
from coral_batch.corpus.sources.programs import check_imports, imported
from coral_batch.corpus.sources.rows import Lost

_BITS = 14_000
"""A longer number may have more than the 4,300 digits that Python prints."""

_STAYING = frozenset(
    (
        *("bytearray", "bytes", "complex", "memoryview", "object", "range", "slice"),
        *("Counter", "Decimal", "Fraction", "OrderedDict", "date", "datetime", "deque"),
    )
)
"""Callables whose results cannot cross, built in or of the standard library."""

_PYTEST = frozenset(("raises", "approx", "use_correct", "run_slow"))
"""What tests may use of pytest, of which the process that runs them has no more; the last two are
QuixBugs' own."""

_BUILT_IN = frozenset(name for name, value in vars(builtins).items() if callable(value))


def check_crossing(called: Collection[str], statements: Sequence[ast.stmt]) -> None:
    """Check that tests pass only data to the program and import only packages that the jail has.

    Args:
        called: names of the function under test.
        statements: the statements of the test file.

    Raises:
        Lost: an argument is bytes, a function, a class or an instance of a class of the test file;
            a number is complex or too long to print; a test catches an exception of the function;
            or the jail lacks an imported package.
    """
    check_imports(imported(ast.Module([*statements], [])) - {"pytest"}, "the tests import")
    check_uncaught(called, statements)
    classes = {node.name for node in statements if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in statements if isinstance(node, ast.FunctionDef)}
    parts = [part for statement in statements for part in ast.walk(statement)]
    parameters = {part.arg for part in parts if isinstance(part, ast.arg)}
    callables = (classes | functions | _BUILT_IN) - stored(*statements) - parameters
    for node in parts:
        match node:
            case ast.Constant(value=complex()):
                raise Lost("untestable", "a test has a complex number")
            case ast.Constant(value=int() as number) if number.bit_length() > _BITS:
                raise Lost("untestable", "a test has a number with thousands of digits")
            case (
                ast.Call(ast.Name(name), given, keywords)
                | ast.Call(_, [_, ast.Name(name), *given], keywords)  # raises(ValueError, f, 0)
            ) if name in called:
                for argument in _parts([*given, *(one.value for one in keywords)]):
                    _check_argument(argument, name, classes, callables)


def _check_argument(
    argument: ast.expr, name: str, classes: AbstractSet[str], callables: Collection[str]
) -> None:
    match argument:
        case ast.Lambda():
            what = "a function or a class"
        case ast.Name(id=given) if given in callables:
            what = "a function or a class"
        case ast.Constant(value=bytes()):
            what = "bytes"
        case ast.Call(func=ast.Name(id=made) | ast.Attribute(attr=made)) if (
            made in classes | _STAYING
        ):
            what = f"an instance of {made}"
        case _:
            return
    raise Lost("untestable", f"a test passes {what} to {name}")


def _parts(nodes: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Yield expressions; of lists, tuples, sets and dicts, yield the items."""
    for node in nodes:
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            yield from _parts(node.elts)
        elif isinstance(node, ast.Dict):
            yield from _parts([*filter(None, node.keys), *node.values])
        else:
            yield node


def check_uncaught(called: Collection[str], statements: Sequence[ast.stmt]) -> None:
    """Check that tests use of pytest what they can, and catch no exception of the function.

    The function runs in another process.

    Args:
        called: names of the function under test.
        statements: the statements of the test file.

    Raises:
        Lost: the tests use more of pytest than `_PYTEST`, or the exception that `raises` caught; or
            a ``try`` or ``suppress`` is around a call of the function, or of a parameter that may
            be the function, as in ``raises(lambda: f(0))``.
    """
    parts = [part for statement in statements for part in ast.walk(statement)]
    functions = [part for part in parts if isinstance(part, ast.FunctionDef)]
    calling = {*called}
    while more := {one.name for one in functions if loaded(*one.body) & calling} - calling:
        calling |= more
    parameters = {part.arg for part in parts if isinstance(part, ast.arg)}
    for part in parts:
        match part:
            case ast.Attribute(ast.Name("pytest"), used) if used not in _PYTEST:
                raise Lost("untestable", f"the tests use pytest.{used}")
            case ast.ImportFrom("pytest", names) if {one.name for one in names} - _PYTEST:
                raise Lost("untestable", "the tests import more of pytest than raises and approx")
            case ast.withitem(ast.Call(func), ast.expr()) | ast.Assign(_, ast.Call(func)) if (
                ast.unparse(func).endswith("raises")
            ):
                raise Lost("untestable", "a test uses the exception that pytest.raises caught")
        inside = ast.Module(_guarded(part), [])
        calls = {ast.unparse(one.func) for one in ast.walk(inside) if isinstance(one, ast.Call)}
        if loaded(inside) & calling or calls & parameters:
            raise Lost(
                "untestable",
                "a test catches an exception of the function under test by try or suppress; only "
                "pytest.raises is supported",
            )


def _guarded(node: ast.AST) -> list[ast.stmt]:
    """Return the statements whose exceptions a statement catches."""
    if isinstance(node, ast.Try | ast.TryStar) and node.handlers:
        return node.body
    if isinstance(node, ast.With) and any("suppress(" in ast.unparse(one) for one in node.items):
        return node.body
    return []
