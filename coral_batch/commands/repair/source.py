"""A file with a broken function: what a model is shown of it, and its lines put in their place.

The function stands at module level or in a class. What is shown is the function without its
docstring, behind the imports and the variables of one line that it uses, a method below the first
line of its class: other functions are not, since a change to them could not be taken. Of an answer
only the definition of the function is taken, from its ``def`` on: decorators and docstring stay as
they are in the file, and so does every other line.
"""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
from dataclasses import dataclass, replace
from pathlib import Path

from coral_batch.corpus.sources.asserts import bound, loaded
from coral_batch.corpus.sources.problems import make_problem
from coral_batch.corpus.sources.programs import (
    Definition,
    definitions_of,
    newlines,
    take_docstring,
)
from coral_batch.errors import CoralError
from coral_batch.records.problem import Problem
from coral_batch.verdicts.inside import syntax

_BOM = "\ufeff"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True)
class Source:
    """A Python file.

    Attributes:
        file: where it lies.
        text: what it holds, with the line ends that it has and without a byte order mark.
        marked: whether it begins with a byte order mark.
    """

    file: Path
    text: str
    marked: bool = False

    @property
    def content(self) -> bytes:
        """The file's bytes."""
        return ((_BOM if self.marked else "") + self.text).encode()

    @property
    def tree(self) -> ast.Module:
        """Its syntax tree.

        Raises:
            SyntaxError: it does not parse.
        """
        return syntax.parse(newlines(self.text))


def read_source(file: Path) -> Source:
    """Read a file.

    Raises:
        CoralError: there is none, it cannot be read, or it is no Python.
    """
    text = read_utf8(file)
    if text and (codec := _codec(text)) != "utf-8":
        raise CoralError(
            "the file says that it is no UTF-8, and only that is read",
            file=file,
            found=f"a coding cookie: {codec}",
        )
    source = Source(file, text.removeprefix(_BOM), text.startswith(_BOM))
    try:
        source.tree  # noqa: B018 (whether there is one)
    except SyntaxError as error:
        raise CoralError(
            "the file does not parse", file=file, found=str(error), expected="Python 3.11"
        ) from None
    return source


def read_utf8(file: Path) -> str:
    """Read a file with the line ends that it has.

    Raises:
        CoralError: there is none, it cannot be read, or it is not UTF-8.
    """
    try:
        # A pipe would be waited for.
        if file.exists() and not file.is_file():
            raise CoralError("this is no file", file=file)
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise CoralError("there is no such file", file=file) from None
    except OSError as error:
        raise CoralError("the file cannot be read", file=file, found=error.strerror) from None
    except UnicodeDecodeError as error:
        raise CoralError("the file is not UTF-8", file=file, found=str(error)) from None


def _codec(text: str) -> str:
    """Return the encoding that Python reads a file of this text in, by its cookie; see PEP 263."""
    try:
        codec, _ = tokenize.detect_encoding(io.BytesIO(text.encode()).readline)
    except SyntaxError as error:
        return str(error)
    codec = codec.removesuffix("-sig")
    return "utf-8" if codecs.lookup(codec).name == "utf-8" else codec


def check_function(source: Source, name: str) -> None:
    """Check that a function can be repaired.

    Raises:
        CoralError: the file does not define it once, by ``def``, at module level or in a class.
    """
    tree = source.tree
    found = definitions_of(tree, name)
    if len(found) == 1 and isinstance(found[0], ast.FunctionDef):
        return
    last = name.rpartition(".")[2]
    elsewhere = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef) and one.name == last and one not in found
    ]
    functions = functions_of(tree)
    if found:
        what = f"{len(found)} definitions" if len(found) > 1 else "another definition than by def"
    elif named := [one for one in functions if one.endswith(f".{last}")]:
        what = f"a method: {' or '.join(named)}"
    elif elsewhere:
        what = "a function inside a function or a block"
    else:
        what = "no such function"
    raise CoralError(
        "the file has no such function that can be repaired",
        file=source.file,
        field=f"--function {name}",
        found=what,
        expected=f"one def of: {', '.join(dict.fromkeys(functions)) or 'the file has none'}",
    )


def functions_of(node: ast.Module | ast.ClassDef, prefix: str = "") -> list[str]:
    """Return the names of the functions and methods of a module, a method's as ``Class.method``.

    Args:
        node: the module, or a class in it.
        prefix: what the names begin with.
    """
    found: list[str] = []
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            found.append(prefix + part.name)
        elif isinstance(part, ast.ClassDef):
            found += functions_of(part, f"{prefix}{part.name}.")
    return found


def _function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    """Return the last definition of a function, which is the one that counts."""
    found = [node for node in definitions_of(tree, name) if isinstance(node, ast.FunctionDef)]
    return found[-1] if found else None


def problem_of(source: Source, name: str) -> Problem:
    """Return the problem of repairing a function, whose reference nobody knows and is empty.

    Raises:
        CoralError: its lines and those that it uses cannot be taken out of the file.
    """
    tree = source.tree
    node = _function(tree, name)
    assert node is not None
    lines = newlines(source.text).split("\n")
    *outer, last = name.split(".")
    classes: list[ast.ClassDef] = []
    for depth in range(1, len(outer) + 1):
        found = definitions_of(tree, ".".join(outer[:depth]))
        classes += [one for one in found if isinstance(one, ast.ClassDef) and _has(one, node)]
    used = loaded(node, *(part for one in classes for part in (*one.bases, *one.decorator_list)))
    shown: set[int] = set()
    for other in tree.body:
        imports = isinstance(other, ast.Import | ast.ImportFrom)
        if isinstance(other, Definition) or not (imports or other.lineno == other.end_lineno):
            continue
        if bound(ast.Module([other], [])) & {*used, "*"}:
            shown.update(range(other.lineno, (other.end_lineno or other.lineno) + 1))
    parts = ["\n".join(lines[number - 1] for number in sorted(shown)) + "\n\n"]
    parts += ["\n".join(lines[_start(one) - 1 : _start(one.body[0]) - 1]) for one in classes]
    parts.append("\n".join(lines[_start(node) - 1 : node.end_lineno]))
    try:
        code, _ = take_docstring("\n".join(parts), name)
    except SyntaxError:
        raise CoralError(
            "the lines of the function, or of what it uses, are no program by themselves",
            file=source.file,
            field=name,
            expected="statements and decorators that begin on lines of their own",
        ) from None
    _, docstring = take_docstring(source.text, name)
    return make_problem(last, last, "", str(source.file), buggy=code, docstring=docstring)


def _has(outer: ast.ClassDef, node: ast.stmt) -> bool:
    return any(part is node for part in ast.walk(outer))


def with_answer(source: Source, name: str, code: str) -> Source | None:
    """Put the definition of a function in an answer in the place of that in the file.

    Args:
        source: the file.
        name: the function, or ``Class.method``.
        code: the answer's code, of which nothing else is taken.

    Returns:
        The file with the answer's definition; None where it has none, or where no file comes of it
        that parses.
    """
    code = newlines(code)
    try:
        answer = _function(syntax.parse(code), name)
        own = _function(source.tree, name)
        if answer is None or own is None or answer.col_offset != own.col_offset:
            return None
        lines = code.split("\n")[answer.lineno - 1 : answer.end_lineno]
        lines = _with_docstring(source, name, lines)
        changed = _in_place(source, name, lines)
        changed.tree  # noqa: B018 (whether it parses)
    except SyntaxError:
        return None
    return changed


def _with_docstring(source: Source, name: str, answer: list[str]) -> list[str]:
    """Give an answer's definition the docstring that the function has in the file."""
    node = _function(source.tree, name)
    assert node is not None
    lines = newlines(source.text).split("\n")
    own = lines[node.lineno - 1 : node.end_lineno]
    # A method's lines are a program by themselves below the line of some class.
    around = ["class Any:"] if node.col_offset else []
    name = ".".join((*(["Any"] if around else []), node.name))
    first = node.body[0]
    documented = ast.get_docstring(node) is not None
    before = lines[first.lineno - 1].encode()[: first.col_offset].decode()
    if documented and before.strip():
        return answer  # it begins in a line of the signature, and says so itself
    answer = take_docstring("\n".join([*around, *answer]), name)[0].split("\n")[len(around) : -1]
    if not documented:
        return answer
    docstring = lines[first.lineno - 1 : first.end_lineno]
    if len(node.body) > 1 and node.body[1].lineno == first.end_lineno:
        # Less the code behind it, which is the answer's to write.
        text = ast.get_source_segment("\n".join(lines), first)
        docstring = f"{before}{text}".split("\n")
    signature = first.lineno - node.lineno
    if answer[:signature] != own[:signature]:
        changed = _function(syntax.parse("\n".join([*around, *answer])), name)
        assert changed is not None
        signature = _start(changed.body[0]) - 1 - len(around)
        if signature == 0:
            raise SyntaxError("a definition in one line has no place for a docstring")
    return [*answer[:signature], *docstring, *answer[signature:]]


def _in_place(source: Source, name: str, definition: list[str]) -> Source:
    """Put lines in the place of those of a function, from its ``def`` on."""
    node = _function(source.tree, name)
    assert node is not None and node.end_lineno is not None
    lines = _LINE.findall(source.text)
    ends = [line[len(line.rstrip("\r\n")) :] for line in lines]
    last = ends[node.end_lineno - 1]
    end = ends[node.lineno - 1] or ends[0] or "\n"
    return replace(
        source,
        text="".join(lines[: node.lineno - 1])
        + end.join(definition)
        + last
        + "".join(lines[node.end_lineno :]),
    )


def _start(node: ast.stmt) -> int:
    """Return the first line of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])
