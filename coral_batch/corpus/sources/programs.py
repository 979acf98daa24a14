"""Parse the programs of data sets, and check that the jail can run them."""

from __future__ import annotations

import ast
import sys

from coral_batch.corpus.sources.rows import Lost
from coral_batch.verdicts.inside import syntax


def parse(code: str, called: str = "the program") -> ast.Module:
    """Parse a program.

    Raises:
        Lost: it is empty, or does not parse.
    """
    if not code.strip():
        raise Lost("untested", f"{called} is empty")
    try:
        return syntax.parse(code)
    except SyntaxError as error:
        raise Lost("unparseable", f"{called} does not parse: {error}") from None


def parse_function(code: str, function: str, called: str = "the program") -> ast.Module:
    """Parse a program that defines a function.

    Args:
        code: the program.
        function: name of the function under test.
        called: what the program is called in messages.

    Raises:
        Lost: it is empty, does not parse, or defines no such function at module level.
    """
    tree = parse(code, called)
    if not any(isinstance(node, ast.FunctionDef) and node.name == function for node in tree.body):
        raise Lost("untestable", f"{called} has no def {function}(...) at module level")
    return tree


def parse_program(code: str, function: str, called: str = "the program") -> ast.Module:
    """Parse a program that the jail can test by calling its function.

    The arguments are those of `parse_function`.

    Raises:
        Lost: as in `parse_function`; it imports a package that the jail lacks; or its function has
            the name of a standard module, which the tests would import instead.
    """
    tree = parse_function(code, function, called)
    check_imports(imported(tree), f"{called} imports")
    if function in sys.stdlib_module_names:
        raise Lost("untestable", f"{function} is the name of a standard library module")
    return tree


def check_changed(buggy: ast.Module, correct: ast.Module) -> None:
    """Check that a buggy program differs from the correct one in more than layout and comments.

    Raises:
        Lost: it does not.
    """
    if ast.dump(buggy) == ast.dump(correct):
        raise Lost("unchanged", "the buggy program equals the correct one")


def check_imports(names: set[str], who: str) -> None:
    """Check that the jail has the imported packages.

    Args:
        names: the imported packages.
        who: how the message starts, e.g. ``the tests import``.

    Raises:
        Lost: it lacks one.
    """
    foreign = sorted(names - sys.stdlib_module_names)
    if foreign:
        what = ["its own package (from . import)" if name == "." else name for name in foreign]
        raise Lost("imports", f"{who} {', '.join(what)}: the jail has only the standard library")


def imported(tree: ast.Module) -> set[str]:
    """Return the top-level packages that a program imports, anywhere; ``.`` for its own.

    Imports under ``if TYPE_CHECKING:`` are ignored: only type checkers run them.
    """
    found: set[str] = set()
    left: list[ast.AST] = [tree]
    while left:
        match left.pop():
            case ast.Import(names=names):
                found |= {alias.name.split(".")[0] for alias in names}
            case ast.ImportFrom(level=level, module=module):
                found.add("." if level else str(module).split(".")[0])
            case ast.If(
                test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"),
                orelse=otherwise,
            ):
                left += otherwise
            case node:
                left += ast.iter_child_nodes(node)
    return found
