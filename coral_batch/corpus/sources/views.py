"""What a model is shown of a function in a larger file."""

from __future__ import annotations

import ast

from coral_batch.corpus.sources.names import bound, definitions, loaded
from coral_batch.corpus.sources.rows import BACKTICKS
from coral_batch.errors import CoralError
from coral_batch.verdicts.functions import (
    Definition,
    SourceFile,
    definitions_of,
    newlines,
    start_of,
    take_docstring,
)


def view(source: SourceFile, name: str, *, helpers: bool = False) -> tuple[str, str]:
    """Return a function and what it uses as a program without its docstring, and the docstring.

    The program has the imports and one-line variables that the function uses, then the function. A
    method comes below the first lines of its class.

    Args:
        source: the file.
        name: the function, which the file defines once, or ``Class.method``.
        helpers: also show the functions, classes and longer variables that it uses, and what those
            use.

    Raises:
        CoralError: its lines, and those of what it uses, do not parse on their own, or have three
            backticks, which would end a model's answer.
    """
    tree = source.tree
    (node,) = definitions_of(tree, name)
    lines = newlines(source.text).split("\n")
    outer = name.split(".")[:-1]
    classes = [
        one
        for depth in range(1, len(outer) + 1)
        for one in definitions_of(tree, ".".join(outer[:depth]))
        if isinstance(one, ast.ClassDef) and any(part is node for part in ast.walk(one))
    ]
    used = loaded(
        node,
        *(part for one in classes for part in (*one.bases, *one.keywords, *one.decorator_list)),
    )
    top = classes[0] if classes else node
    if helpers:
        shown = sorted(
            [*(one for one in definitions(tree, used, "") if one is not top), top], key=start_of
        )
    else:
        shown = [one for one in tree.body if _is_short(one) and bound(one) & {*used, "*"}]
        shown.append(top)
    text: list[str] = []
    for number, one in enumerate(shown):
        if number and any(isinstance(near, Definition) for near in shown[number - 1 : number + 1]):
            text += ["", ""]
        if one is top:
            for of in classes:
                text += lines[start_of(of) - 1 : start_of(of.body[0]) - 1]
        last = node if one is top else one
        text += lines[start_of(last) - 1 : last.end_lineno]
    try:
        code, docstring = take_docstring("\n".join(text), name)
    except SyntaxError:
        raise CoralError(
            "the lines of the function, and of what it uses, do not parse on their own",
            file=source.file,
            field=name,
            expected="statements and decorators that begin on lines of their own",
        ) from None
    if BACKTICKS in code:
        raise CoralError(
            "three backticks would end a model's answer",
            file=source.file,
            field=f"{name}, or what it uses",
            action='write them in another way, such as 3 * "`"',
        )
    return code, docstring


def _is_short(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) or (
        not isinstance(node, Definition) and node.lineno == node.end_lineno
    )
