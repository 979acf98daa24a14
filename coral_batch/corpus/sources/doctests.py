"""Examples in docstrings, made into tests that the jail runs.

What is read: examples in the docstrings of a module and of its functions, and where it is wanted of
its classes. An example that shows a value of Python is compared with it by ``==``; one that is
``print(...)`` of one value, as text; one that shows nothing and calls a function under test returns
None; one that ends in a traceback raises an exception of Python itself with that message. Other
statements come before the examples that follow in the same docstring; in those of a class all do,
since they may change its instances. Options other than ``+SKIP`` and output that is no value, such
as ``[0, ..., 2]``, are refused.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
from collections.abc import Collection, Iterator

from coral_batch.corpus.sources.asserts import bound, loaded
from coral_batch.corpus.sources.grouping import Names, Test, TestFile
from coral_batch.corpus.sources.programs import check_imports, imported
from coral_batch.corpus.sources.rows import Lost
from coral_batch.verdicts.inside import syntax


def parse_doctests(
    module: str, program: ast.Module, classes: bool = False, packages: Collection[str] = ()
) -> TestFile:
    """Return the examples of a program as tests; without any where it has none.

    Args:
        module: the module's name.
        program: its syntax tree.
        classes: whether the examples of its classes and of their methods are read as well.
        packages: what the jail has besides the standard library.

    Raises:
        Lost: an example cannot be read, or imports what the jail does not have.
    """
    names = Names(program, {name: name for name in bound(program)})
    tests: list[Test] = []
    for node, changing in _documented(program, classes):
        text = ast.get_docstring(node)
        for statements in _tests(text or "", module, bound(program), changing):
            tests.append(Test(f"test_{len(tests) + 1}", statements))
    read = ast.Module([node for test in tests for node in test.statements], [])
    check_imports(imported(read), "an example imports", packages)
    return TestFile(tests, names, ast.parse("import pytest\n"))


def _documented(
    node: ast.Module | ast.ClassDef, classes: bool
) -> Iterator[tuple[ast.Module | ast.ClassDef | ast.FunctionDef, bool]]:
    """Yield what may have a docstring with examples, and whether it is of a class."""
    inside = isinstance(node, ast.ClassDef)
    yield node, inside
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            yield part, inside
        elif isinstance(part, ast.ClassDef) and classes:
            yield from _documented(part, classes)


def _tests(text: str, module: str, known: set[str], changing: bool) -> Iterator[list[ast.stmt]]:
    """Yield the statements of each example, what came before it in the docstring first.

    Args:
        text: the docstring.
        module: the module's name.
        known: the names that the module binds.
        changing: whether an example that is compared may change what the next ones see.
    """
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError as error:
        raise Lost("untestable", f"an example cannot be read: {error}") from None
    before: list[ast.stmt] = []
    for example in examples:
        options = dict(example.options)
        if options.pop(doctest.SKIP, False):
            continue
        if options:
            raise _unread(example, "its options are not read")
        try:
            statements = syntax.parse(example.source).body
        except SyntaxError as error:
            raise _unread(example, str(error)) from None
        if example.exc_msg is not None:
            yield [*before, _raising(example, statements)]
            continue
        alone = statements[0] if len(statements) == 1 else None
        if example.want:
            if not isinstance(alone, ast.Expr):
                raise _unread(example, "it prints something and is no expression")
            yield [*before, _shown(alone.value, example)]
            before += statements if changing else []
            continue
        if isinstance(alone, ast.Expr) and loaded(alone) & known and not changing:
            yield [*before, _none(alone.value)]
        before += [node for node in statements if not _imports(node, module)]


def _unread(example: doctest.Example, why: str) -> Lost:
    return Lost("untestable", f"the example {example.source.strip()!r} is not read: {why}")


def _imports(node: ast.stmt, module: str) -> bool:
    """Whether a statement imports the module itself, whose names an example knows anyway."""
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[-1] == module
    return False


def _value(example: doctest.Example) -> ast.expr:
    try:
        ast.literal_eval(example.want.strip())
        value = ast.parse(example.want.strip(), mode="eval").body
        # Python writes Ellipsis so; `...` stands for what the example leaves out.
        if any(isinstance(part, ast.Constant) and part.value is ... for part in ast.walk(value)):
            raise ValueError
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        why = f"{example.want.strip()!r} is no value of Python"
        raise _unread(example, why) from None
    return value


def _shown(found: ast.expr, example: doctest.Example) -> ast.Assert:
    """Compare what an expression gives, or prints, with what an example shows."""
    printing = [
        node for node in ast.walk(found) if isinstance(node, ast.Name) and node.id == "print"
    ]
    if not printing:
        return ast.Assert(ast.Compare(found, [ast.Eq()], [_value(example)]))
    if (
        not isinstance(found, ast.Call)
        or printing != [found.func]
        or len(found.args) != 1
        or isinstance(found.args[0], ast.Starred)
        or found.keywords
    ):
        raise _unread(example, "it prints otherwise than by print(...) of one value")
    text = ast.Call(ast.Name("str", ast.Load()), found.args, [])
    return ast.Assert(ast.Compare(text, [ast.Eq()], [ast.Constant(_line(example))]))


def _line(example: doctest.Example) -> str:
    if "<BLANKLINE>" in example.want:
        raise _unread(example, "it prints an empty line")
    return example.want.removesuffix("\n")


def _none(found: ast.expr) -> ast.Assert:
    return ast.Assert(ast.Compare(found, [ast.Is()], [ast.Constant(None)]))


def _raising(example: doctest.Example, statements: list[ast.stmt]) -> ast.stmt:
    kind, _, message = (example.exc_msg or "").strip().partition(": ")
    known = vars(builtins).get(kind)
    if not isinstance(known, type) or not issubclass(known, BaseException):
        raise _unread(example, f"Python itself has no exception {kind}")
    pattern = f"^{re.escape(message)}$"
    block = ast.parse(f"with pytest.raises({kind}, match={pattern!r}): pass").body[0]
    assert isinstance(block, ast.With)
    block.body = statements
    return block
