"""Decide what counts as Python, with the same answer on every version of Python.

Versions differ in how deeply code may be nested before they fail or crash, and each extends the
language. So code is parsed by the grammar of Python 3.11, the oldest supported version, with limits
on nesting below those of every version tried. The jail, the scores and the corpus all use it.

Not covered: f-strings, where 3.12 and newer accept more; names with newer Unicode letters; the
results of flake8.
"""

from __future__ import annotations

import ast
import re
import warnings
from encodings.aliases import aliases  # loaded when Python starts: the jail cannot import more

DEPTH = 200
"""Maximum depth of the syntax tree. flake8 fails from about 330 on, Python 3.11 from 2,980 on.

Each operator of a chain (``1 + 1 + 1``, ``a.b.c``) and each ``elif`` is a level.
"""

BLOCKS = 15
"""Maximum nesting of blocks, as `_blocks` counts them.

Python compiles 20 or 21, and from 3.12 on crashes at 18 asynchronous comprehensions.
"""

_TOO_DEEP = "nested too deeply"
_COOKIE = re.compile(r"^[ \t\f\r]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
"""A line that names the encoding (PEP 263). Like some readers, it ends no line at ``\\r``."""
_BLANK = re.compile(r"[ \t\f]*(?:[#\r]|$)")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parse(code: str) -> ast.Module:
    """Return the syntax tree of `code`.

    Raises:
        SyntaxError: it is not Python 3.11, is nested too deeply, holds invalid characters, or names
            an encoding in which a file of it would be another program.
    """
    _check_cookie(code)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code, feature_version=(3, 11))
        _measure(tree)
    except (RecursionError, MemoryError):
        raise SyntaxError(_TOO_DEEP) from None
    # Null bytes, lone surrogates; Python 3.12 and 3.13 raise SystemError on some f-strings.
    except (ValueError, SystemError) as error:
        raise SyntaxError(str(error)) from None
    return tree


def _check_cookie(code: str) -> None:
    """Raise if a linter, which reads a file, would not read this text.

    Python ignores the cookie of a text, but decodes a file by it, even by ``unicode_escape``.
    """
    lines = code.split("\n", 2)[:2]
    if not _BLANK.match(lines[0]):
        del lines[1:]  # behind code a second line is no cookie
    for name in _COOKIE.findall("\n".join(lines)):
        known = name.lower().replace("-", "_").replace(".", "_")
        codec = aliases.get(known, known)
        plain = code.isascii() and codec in ("ascii", "latin_1")
        if not (plain or codec.startswith("utf_8")):
            raise SyntaxError(f"encoded in {name}, not in UTF-8")


def _measure(tree: ast.Module) -> None:
    """Raise if a tree exceeds the limits."""
    waiting: list[tuple[ast.AST, int, int]] = [(tree, 1, 0)]
    while waiting:
        node, depth, blocks = waiting.pop()
        blocks += _blocks(node)
        if depth > DEPTH or blocks > BLOCKS:
            raise SyntaxError(_TOO_DEEP)
        waiting += [(child, depth + 1, blocks) for child in ast.iter_child_nodes(node)]


def _blocks(node: ast.AST) -> int:
    """Return the maximum of blocks that CPython's compiler opens for a node."""
    if isinstance(node, _LOOPS):
        return 1
    if isinstance(node, ast.With | ast.AsyncWith):
        return len(node.items)
    if isinstance(node, ast.Try | ast.TryStar):
        return 3
    if isinstance(node, _COMPREHENSIONS):
        return len(node.generators)
    return 0
