"""Programs of data sets: parsed, held to what the jail can run, their docstring taken out."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection

from coral_batch.corpus.sources.rows import Lost
from coral_batch.verdicts.inside import syntax


def parse(code: str, called: str = "the program") -> ast.Module:
    """Parse a program.

    Raises:
        Lost: it does not parse.
    """
    try:
        return syntax.parse(code)
    except SyntaxError as error:
        raise Lost("unparseable", f"{called} does not parse: {error}") from None


def parse_program(
    code: str, function: str, called: str = "the program", packages: Collection[str] = ()
) -> ast.Module:
    """Parse a program that the jail can test by calling its function.

    Args:
        code: the program.
        function: name of the function under test.
        called: what the program is called in messages.
        packages: what the jail has besides the standard library.

    Raises:
        Lost: it does not parse, defines no such function at module level, imports what the jail
            does not have, or its function has the name of a module there, which the program
            would import in its place.
    """
    tree = parse(code, called)
    if not any(isinstance(node, ast.FunctionDef) and node.name == function for node in tree.body):
        raise Lost("untestable", f"{called} has no def {function}(...) at module level")
    check_imports(imported(tree), f"{called} imports", packages)
    if function in sys.stdlib_module_names:
        raise Lost("untestable", f"{function} is the name of a module of the standard library")
    return tree


def check_changed(buggy: ast.Module, correct: ast.Module) -> None:
    """Check that a buggy program is another one than the correct one, layout and comments aside.

    Raises:
        Lost: it is the same.
    """
    if ast.dump(buggy) == ast.dump(correct):
        raise Lost("unchanged", "the buggy program is the correct one")


def check_imports(names: set[str], who: str, packages: Collection[str] = ()) -> None:
    """Check that what is imported is what the jail has.

    Args:
        names: the packages that are imported.
        who: what imports them, with the verb, for messages.
        packages: what the jail has besides the standard library.

    Raises:
        Lost: there is another.
    """
    foreign = sorted(names - sys.stdlib_module_names - {*packages})
    if foreign:
        has = " and ".join(["the standard library", *packages])
        alone = "" if packages else " alone"
        what = ["its own package (from . import)" if name == "." else name for name in foreign]
        raise Lost("imports", f"{who} {', '.join(what)}: the jail has {has}{alone}")


def imported(tree: ast.Module) -> set[str]:
    """Return the top-level packages that a program imports, anywhere; ``.`` for its own."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else str(node.module).split(".")[0])
    return found


def as_module(code: str) -> str:
    """Return a program without blank lines around it, its lines ending in one newline each."""
    return newlines(code).strip("\n").rstrip() + "\n"


def newlines(text: str) -> str:
    """Return a text with the line ends of Unix."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def take_docstring(code: str, function: str) -> tuple[str, str]:
    """Split a program into its code and the docstring of a function, or else the module's.

    A docstring stays where it shares a line with other code, or is all that the function has.

    Args:
        code: the program.
        function: the function at module level, or ``Class.method``.

    Returns:
        The code as `as_module` gives it, and the docstring without indentation; empty where there
        is none.
    """
    code = newlines(code)
    tree = syntax.parse(code)
    documented: list[ast.FunctionDef | ast.Module] = [
        node for node in definitions_of(tree, function) if isinstance(node, ast.FunctionDef)
    ]
    for node in [*documented, tree]:
        text = ast.get_docstring(node)
        if text is None or len(node.body) == 1:
            continue
        first = node.body[0]
        assert first.end_lineno is not None
        lines = code.split("\n")
        before = lines[first.lineno - 1].encode()[: first.col_offset]
        after = lines[first.end_lineno - 1].encode()[first.end_col_offset :]
        if not before.strip() and not after.strip():
            del lines[first.lineno - 1 : first.end_lineno]
            return as_module("\n".join(lines)), text.strip()
    return as_module(code), ""


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def definitions_of(tree: ast.Module, name: str) -> list[Definition]:
    """Return the definitions of a name, at module level or, as ``Class.name``, in classes."""
    *classes, last = name.split(".")
    bodies: list[list[ast.stmt]] = [tree.body]
    for one in classes:
        bodies = [
            node.body
            for body in bodies
            for node in body
            if isinstance(node, ast.ClassDef) and node.name == one
        ]
    return [
        node
        for body in bodies
        for node in body
        if isinstance(node, Definition) and node.name == last
    ]
