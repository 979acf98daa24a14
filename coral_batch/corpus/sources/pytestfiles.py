"""Test files in pytest's style, made into tests that the jail runs.

What is read: plain functions named ``test*``; imports of the program's module or of names in it;
``pytest.mark.parametrize``, each of whose argument sets becomes a test of its own;
``pytest.raises`` with exceptions of Python itself, in a ``with`` statement and without ``as``;
``pytest.approx``; module-level variables, helpers and imports of the standard library, as far as
tests need them. Everything else that could change what a test means is refused by name: fixtures,
classes of tests, tests in blocks or in variables, set-up and tear-down, other marks, other parts of
pytest, values in parametrize that read a variable of the file by a name that the test has for one
of its own.

Tests that the jail cannot run, such as those that catch an exception of the program by ``try``, are
refused where they are written for it (`coral_batch.corpus.sources.grouping`).
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import NoReturn

from coral_batch.corpus.sources.asserts import bound, given, loaded
from coral_batch.corpus.sources.grouping import Names, Test, TestFile
from coral_batch.corpus.sources.programs import check_imports, imported, parse
from coral_batch.corpus.sources.rows import Lost

_PYTEST = "pytest"
_KNOWN = ("approx", "raises")
_AROUND = ("setup_module", "teardown_module", "setup_function", "teardown_function")


def parse_tests(
    source: str, module: str, program: ast.Module, packages: Collection[str] = ()
) -> TestFile:
    """Return the tests of a program.

    Args:
        source: the test file.
        module: name of the module that it tests.
        program: the module's syntax tree.
        packages: what the jail has besides the standard library.

    Raises:
        Lost: the file is no Python, has no tests, or holds what is not read.
    """
    tree = parse(source, "the test file")
    rest = ast.Module([part for node in tree.body for part in _without(node, module)], [])
    _check_imports(rest, module, packages)
    check_plain(rest)
    _check_pytest(rest)
    names = _names(tree, module, program)
    variables = _variables(tree)
    tests = [
        test
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
        for test in _expanded(node, variables)
    ]
    if not tests:
        raise Lost("untested", "the test file has no functions named test*")
    return TestFile(tests, names, rest)


def check_plain(tree: ast.Module) -> None:
    """Check that every test of a file is a function that it defines by ``def`` at its top level.

    Raises:
        Lost: another is in a class or a block, is asynchronous, or is what a variable may hold.
    """
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and (
            node.name.startswith("Test") or "TestCase" in _bases(node)
        ):
            _refuse(f"the class {node.name}")
        if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test"):
            _refuse(f"async def {node.name}")
    data = {id(target) for node in ast.walk(tree) for target in _targets_of_data(node)}
    for node in (part for statement in tree.body for part in _own_scope(statement)):
        match node:
            case ast.FunctionDef(name=name) if name.startswith("test") and node not in tree.body:
                _refuse(f"the function {name} in a block")
            case ast.Name(id=name, ctx=ast.Store()) if name.startswith("test"):
                if name in defined or id(node) not in data:
                    _refuse(f"the variable {name}, which may hold a test")


_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_DATA = (
    *(ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.BinOp, ast.UnaryOp, ast.Compare),
)


def _own_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a module's statement that run in its own scope, definitions as a whole."""
    yield node
    if isinstance(node, _SCOPES) or (isinstance(node, ast.If) and "__name__" in loaded(node.test)):
        return
    for part in ast.iter_child_nodes(node):
        yield from _own_scope(part)


def _targets_of_data(node: ast.AST) -> list[ast.expr]:
    """Return what a statement assigns a value that is no function, as its form shows."""
    if isinstance(node, ast.Assign) and isinstance(node.value, _DATA):
        return node.targets
    if isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.AnnAssign) and isinstance(node.value, _DATA)
    ):
        return [node.target]
    return []


def _refuse(what: str) -> NoReturn:
    raise Lost("untestable", f"{what}: only plain test functions are read")


def _check_imports(rest: ast.Module, module: str, packages: Collection[str]) -> None:
    """Check what a test file imports besides the module under test at its top level."""
    if any(_own(node, module) for node in ast.walk(rest)):
        _refuse(f"an import of {module} inside a function or block")
    check_imports(imported(rest) - {_PYTEST}, "the tests import", packages)


def _own(node: ast.AST, module: str) -> list[ast.alias]:
    """Return what a statement imports of the module under test, from whatever package: it or names.

    What comes from the standard library is not of the module, though it may be called like it.
    """
    if isinstance(node, ast.Import):
        return [alias for alias in node.names if _is(alias.name, module)]
    if not isinstance(node, ast.ImportFrom) or (node.level == 0 and _standard(node.module, module)):
        return []
    if _is(node.module, module):
        return node.names
    return [alias for alias in node.names if alias.name == module]


def _is(name: str | None, module: str) -> bool:
    return (name or "").split(".")[-1] == module and not _standard(name, module)


def _standard(name: str | None, module: str) -> bool:
    root = (name or "").split(".")[0]
    return root in sys.stdlib_module_names and root != module


def _without(node: ast.stmt, module: str) -> list[ast.stmt]:
    """Return a statement without what it imports of the module under test."""
    own = _own(node, module)
    if not own or not isinstance(node, ast.Import | ast.ImportFrom):
        return [node]
    left = [alias for alias in node.names if alias not in own]
    if isinstance(node, ast.Import):
        return [ast.Import(left)] if left else []
    return [ast.ImportFrom(node.module, left, node.level)] if left else []


def _names(tree: ast.Module, module: str, program: ast.Module) -> Names:
    """Read by what names the tests call functions of the program."""
    functions: dict[str, str] = {}
    modules: set[str] = set()
    for node in tree.body:
        inside = isinstance(node, ast.ImportFrom) and _is(node.module, module)
        for alias in _own(node, module):
            if alias.name == "*":
                _refuse(f"from {module} import *")
            if inside:
                functions[alias.asname or alias.name] = alias.name
            elif alias.asname is None and "." in alias.name:
                _refuse(f"import {alias.name} without as")
            else:
                modules.add(alias.asname or alias.name)
    return Names(program, functions, frozenset(modules))


def _check_pytest(tree: ast.Module) -> None:
    """Check that of pytest there is nothing but what is read."""
    read = {id(part) for node in ast.walk(tree) for part in _raises_of(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == _PYTEST:
            _refuse("from pytest import ..., instead of import pytest")
        if isinstance(node, ast.Import) and any(
            alias.name == _PYTEST and alias.asname for alias in node.names
        ):
            _refuse("import pytest as ..., instead of import pytest")
        if isinstance(node, ast.FunctionDef) and node.name in _AROUND:
            _refuse(f"the function {node.name}")
        if isinstance(node, ast.Name) and node.id == "pytestmark":
            _refuse("pytestmark")
        if _attribute_of_pytest(node) == "raises" and id(node) not in read:
            _refuse("pytest.raises other than as `with pytest.raises(...):`")
        if _attribute_of_pytest(node) not in (None, "mark", "param", *_KNOWN):
            _refuse(f"pytest.{_attribute_of_pytest(node)}")


def _bases(node: ast.ClassDef) -> str:
    return " ".join(map(ast.unparse, node.bases))


def _attribute_of_pytest(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == _PYTEST else None
    return None


def _raises_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield each ``pytest.raises`` of a with statement that is read, and check its exceptions."""
    for item in node.items if isinstance(node, ast.With) else []:
        call = item.context_expr
        if isinstance(call, ast.Call) and _attribute_of_pytest(call.func) == "raises":
            if item.optional_vars is not None:
                _refuse("with pytest.raises(...) as")
            kinds = call.args[0] if len(call.args) == 1 else None
            for kind in kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]:
                known = vars(builtins).get(kind.id) if isinstance(kind, ast.Name) else None
                if not isinstance(known, type) or not issubclass(known, BaseException):
                    _refuse("pytest.raises of an exception that Python itself does not have")
            yield call.func


def _variables(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the variables that a module assigns, at its top level, and never changes."""
    times = Counter(name for names in given(tree) for name in names)
    assigned: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, value = node.target, node.value
        else:
            continue
        if isinstance(target, ast.Name) and times[target.id] == 1:
            assigned[target.id] = value
    return assigned


def _expanded(node: ast.FunctionDef, variables: Mapping[str, ast.expr]) -> Iterator[Test]:
    """Yield a test for each set of arguments that parametrize gives."""
    sets = [_sets(node.name, decorator, variables) for decorator in node.decorator_list]
    given = {name for one in sets for name in one[0]}
    arguments = node.args
    wanted = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    for name in wanted:
        if name not in given:
            _refuse(f"{node.name} takes {name}, a fixture")
    if arguments.vararg or arguments.kwarg or len(given) != len(wanted):
        _refuse(f"the parameters of {node.name}")
    if not sets:
        yield Test(node.name, node.body)
        return
    combinations = list(product(*(values for _, values in sets)))
    for number, chosen in enumerate(combinations, start=1):
        pairs = [
            (name, value)
            for (names, _), values in zip(sets, chosen, strict=True)
            for name, value in zip(names, values, strict=True)
        ]
        yield Test(f"{node.name}_{number}", _bind(node.name, node.body, dict(pairs)))


def _sets(
    test: str, decorator: ast.expr, variables: Mapping[str, ast.expr]
) -> tuple[list[str], list[list[ast.expr]]]:
    """Return the names that a decorator gives, and its sets of values."""
    if (
        not isinstance(decorator, ast.Call)
        or ast.unparse(decorator.func) != "pytest.mark.parametrize"
        or len(decorator.args) != 2
        or any(keyword.arg != "ids" for keyword in decorator.keywords)
    ):
        _refuse(f"the decorator of {test}, {ast.unparse(decorator).split('(')[0]}")
    first, second = decorator.args
    try:
        named = ast.literal_eval(first)
    except ValueError:
        _refuse(f"the names in parametrize of {test}")
    names = [one.strip() for one in named.split(",")] if isinstance(named, str) else list(named)
    if isinstance(second, ast.Name):
        second = variables.get(second.id, second)
    if not isinstance(second, ast.List | ast.Tuple) or any(
        isinstance(value, ast.Starred) for value in second.elts
    ):
        _refuse(f"parametrize of {test} with values that are no list, or one that is changed")
    single = isinstance(named, str) and len(names) == 1
    return names, [_values(test, value, names, single) for value in second.elts]


def _values(test: str, value: ast.expr, names: list[str], single: bool) -> list[ast.expr]:
    if isinstance(value, ast.Call) and _attribute_of_pytest(value.func) == "param":
        if any(keyword.arg != "id" for keyword in value.keywords):
            _refuse(f"pytest.param with marks, in {test}")
        found = value.args
    elif single:
        found = [value]
    else:
        found = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    if len(found) != len(names) or any(isinstance(one, ast.Starred) for one in found):
        _refuse(f"parametrize of {test}: {ast.unparse(value)} is no value for {', '.join(names)}")
    return found


def _bind(test: str, body: list[ast.stmt], values: dict[str, ast.expr]) -> list[ast.stmt]:
    """Give names their values: by assignment, or in place where that is the same.

    In an assert that reads a name once: a loop would make the value anew in each of its rounds.

    Raises:
        Lost: a value reads what would be a variable of the test, and not that of the file.
    """
    parts = [part for statement in body for part in ast.walk(statement)]
    plain = isinstance(body[0], ast.Assert) and len(body) == 1
    plain = plain and not any(isinstance(part, ast.comprehension | ast.Lambda) for part in parts)
    uses = [node for node in parts if isinstance(node, ast.Name) and node.id in values]
    once = {
        name
        for name in values
        if plain and [type(node.ctx) for node in uses if node.id == name] == [ast.Load]
    }
    local = (values.keys() - once) | bound(ast.Module(body, []))
    for value in values.values():
        if outer := sorted(local & (loaded(value) - bound(ast.Module([ast.Expr(value)], [])))):
            raise Lost(
                "untestable",
                f"parametrize of {test}: {ast.unparse(value)} reads {outer[0]}, and {test} has a "
                "variable of that name: rename one",
            )
    assigned = [
        ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)
        for name, value in values.items()
        if name not in once
    ]
    placed = _Placed({name: values[name] for name in once})
    return [*assigned, *(placed.visit(ast.parse(ast.unparse(node)).body[0]) for node in body)]


class _Placed(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)
