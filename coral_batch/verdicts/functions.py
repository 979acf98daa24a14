"""Find functions in a Python file, take out their docstring, and replace them.

A function is at module level or in a class, ``Class.method``. Only its definition is taken from an
answer, from ``def`` on: decorators, docstring and all other lines of the file stay unchanged.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from coral_batch.errors import CoralError
from coral_batch.verdicts.inside import syntax

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_BOM = "\ufeff"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True)
class SourceFile:
    """A Python file.

    Attributes:
        file: its path.
        text: its content with its own line ends, without a byte order mark.
        marked: whether it has a byte order mark.
    """

    file: Path
    text: str
    marked: bool = False

    @property
    def content(self) -> bytes:
        """The file's bytes."""
        return ((_BOM if self.marked else "") + self.text).encode()

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree.

        Raises:
            SyntaxError: it does not parse.
        """
        return syntax.parse(newlines(self.text))


def read_source(file: Path) -> SourceFile:
    """Read a file.

    Raises:
        CoralError: it is missing, unreadable or not valid Python.
    """
    text = read_utf8(file)
    source = SourceFile(file, text.removeprefix(_BOM), text.startswith(_BOM))
    try:
        source.tree  # noqa: B018 (whether there is one)
    except SyntaxError as error:
        raise CoralError(
            "the file does not parse", file=file, found=str(error), expected="Python 3.11"
        ) from None
    return source


def read_utf8(file: Path) -> str:
    """Read a file, keeping its line ends.

    Raises:
        CoralError: it is missing, unreadable or not UTF-8.
    """
    try:
        # Reading a pipe would block.
        if file.exists() and not file.is_file():
            raise CoralError("not a regular file", file=file)
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise CoralError("no such file", file=file) from None
    except OSError as error:
        raise CoralError("the file cannot be read", file=file, found=error.strerror) from None
    except UnicodeDecodeError as error:
        raise CoralError("the file is not UTF-8", file=file, found=str(error)) from None


def check_function(source: SourceFile, name: str) -> None:
    """Check that a function can be repaired.

    Raises:
        CoralError: the file does not define it exactly once, by ``def``, at module level or in a
            class.
    """
    tree = source.tree
    found = definitions_of(tree, name)
    if found and not why_unfit(found):
        return
    last = name.rpartition(".")[2]
    functions = functions_of(tree)
    if found:
        what = why_unfit(found)
    elif named := [one for one in functions if one.endswith(f".{last}")]:
        what = f"a method: {' or '.join(named)}"
    elif any(isinstance(one, ast.FunctionDef) and one.name == last for one in ast.walk(tree)):
        what = "nested in a function or block"
    else:
        what = "no such function"
    raise CoralError(
        "this function cannot be repaired",
        file=source.file,
        field=f"--function {name}",
        found=what,
        expected="a function with exactly one def"
        + (f": {', '.join(dict.fromkeys(functions))}" if functions else "; the file has none"),
    )


def why_unfit(found: Sequence[Definition]) -> str:
    """Return why the definitions of a name are not one ``def``; empty if they are."""
    if len(found) > 1:
        return f"{len(found)} definitions"
    return "" if isinstance(found[0], ast.FunctionDef) else "not defined by def"


def is_cached(source: SourceFile, name: str) -> bool:
    """Whether a decorator, by its name, may answer a call without running the function."""
    decorators = [
        ast.unparse(decorator)
        for found in definitions_of(source.tree, name)
        for decorator in found.decorator_list
    ]
    return any(re.search("cache|memo", one, re.IGNORECASE) for one in decorators)


def functions_of(node: ast.Module | ast.ClassDef, prefix: str = "") -> list[str]:
    """Return the names of a module's functions and methods, the latter as ``Class.method``.

    Args:
        node: the module, or a class in it.
        prefix: prefix of the names.
    """
    found: list[str] = []
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            found.append(prefix + part.name)
        elif isinstance(part, ast.ClassDef):
            found += functions_of(part, f"{prefix}{part.name}.")
    return found


def _function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    """Return the last definition of a function, which is the effective one."""
    found = [node for node in definitions_of(tree, name) if isinstance(node, ast.FunctionDef)]
    return found[-1] if found else None


def with_answer(source: SourceFile, name: str, code: str) -> SourceFile | None:
    """Replace a function's definition in the file by the one in an answer.

    Args:
        source: the file.
        name: the function, or ``Class.method``.
        code: the answer's code; everything else in it is ignored.

    Returns:
        The file with the answer's definition; None if the answer has none or the result does not
        parse.
    """
    code = newlines(code)
    try:
        answer = _function(syntax.parse(code), name)
        own = _function(source.tree, name)
        if answer is None or own is None or answer.col_offset != own.col_offset:
            return None
        lines = code.split("\n")[answer.lineno - 1 : answer.end_lineno]
        # A backslash there would join the file's next line.
        lines[-1] = lines[-1].rstrip(" \\")
        changed = _in_place(source, own, _with_docstring(source, own, lines))
        changed.tree  # noqa: B018 (whether it parses)
    except SyntaxError:
        return None
    return changed


def _with_docstring(source: SourceFile, node: ast.FunctionDef, answer: list[str]) -> list[str]:
    """Give an answer's definition the docstring of the function in the file."""
    lines = newlines(source.text).split("\n")
    own = lines[node.lineno - 1 : node.end_lineno]
    # A method's lines parse on their own below a class line.
    around = ["class Any:"] if node.col_offset else []
    name = f"Any.{node.name}" if around else node.name
    first = node.body[0]
    documented = ast.get_docstring(node) is not None
    before = lines[first.lineno - 1].encode()[: first.col_offset].decode()
    if documented and before.strip():
        return answer  # it begins on a line of the signature and stays as it is
    answer = take_docstring("\n".join([*around, *answer]), name)[0].split("\n")[len(around) : -1]
    if not documented:
        return answer
    docstring = lines[first.lineno - 1 : first.end_lineno]
    if len(node.body) > 1 and node.body[1].lineno == first.end_lineno:
        # Without the code after it, which the answer must provide.
        text = ast.get_source_segment("\n".join(lines), first)
        docstring = f"{before}{text}".split("\n")
    signature = first.lineno - node.lineno
    if answer[:signature] != own[:signature]:
        changed = _function(syntax.parse("\n".join([*around, *answer])), name)
        assert changed is not None
        signature = start_of(changed.body[0]) - 1 - len(around)
        if signature == 0:
            raise SyntaxError("a one-line definition has no place for a docstring")
    return [*answer[:signature], *docstring, *answer[signature:]]


def _in_place(source: SourceFile, node: ast.FunctionDef, definition: list[str]) -> SourceFile:
    """Replace a function's lines, from its ``def`` on."""
    assert node.end_lineno is not None
    lines = _LINE.findall(source.text)
    ends = [line[len(line.rstrip("\r\n")) :] for line in lines]
    last = ends[node.end_lineno - 1]
    end = ends[node.lineno - 1] or ends[0] or "\n"
    before, after = lines[: node.lineno - 1], lines[node.end_lineno :]
    return replace(source, text="".join([*before, end.join(definition), last, *after]))


def start_of(node: ast.stmt) -> int:
    """Return the first line of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def as_module(code: str) -> str:
    """Return a program without surrounding blank lines, with one newline after each line."""
    return newlines(code).strip("\n").rstrip() + "\n"


def newlines(text: str) -> str:
    """Return a text with Unix line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def take_docstring(code: str, function: str) -> tuple[str, str]:
    """Split a program into its code and the docstring of a function, or else of the module.

    A docstring stays if it shares a line with other code, or is the function's whole body. A
    comment after it goes with it.

    Args:
        code: the program.
        function: the function at module level, or ``Class.method``.

    Returns:
        The code as `as_module` returns it, and the docstring without indentation, empty if there is
        none.
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
        if not before.strip() and after.strip()[:1] in (b"", b"#"):
            del lines[first.lineno - 1 : first.end_lineno]
            return as_module("\n".join(lines)), text.strip()
    return as_module(code), ""


def definitions_of(tree: ast.Module, name: str) -> list[Definition]:
    """Return the definitions of a name, at module level or, as ``Class.name``, in classes."""
    *classes, last = name.split(".")
    body = tree.body
    for one in classes:
        body = [
            part
            for node in body
            if isinstance(node, ast.ClassDef) and node.name == one
            for part in node.body
        ]
    return [node for node in body if isinstance(node, Definition) and node.name == last]
