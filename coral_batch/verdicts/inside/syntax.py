"""What counts as Python: the same texts, whichever version of Python is asked.

Versions differ in how deeply text may be nested before they give up or crash, and each adds to the
language. So text is parsed by the grammar of Python 3.11, the oldest version that is supported, and
held to bounds of our own, below those that any version was seen to have. The jail, the scores and
the corpus all ask here.

What it does not cover: f-strings, in which 3.12 and newer accept more; names with letters that
Unicode got since, and what flake8 says of a text.
"""

from __future__ import annotations

import ast
import warnings

DEPTH = 200
"""Most levels of the syntax tree. flake8 fails from about 330 on, Python 3.11 from 2,980 on.

Each operator of a chain (``1 + 1 + 1``, ``a.b.c``) and each ``elif`` is a level.
"""

BLOCKS = 15
"""Most blocks inside one another, as `_blocks` counts them.

Python compiles 20 or 21, and from 3.12 on crashes at 18 asynchronous comprehensions.
"""

_TOO_DEEP = "nested too deeply"
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parse(code: str) -> ast.Module:
    """Return the syntax tree of `code`.

    Raises:
        SyntaxError: it is no Python 3.11, is nested too deeply, or holds what no file can.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code, feature_version=(3, 11))
        _measure(tree)
    except (RecursionError, MemoryError):
        raise SyntaxError(_TOO_DEEP) from None
    # Null bytes, lone surrogates; SystemError is how Python 3.12 and 3.13 fail at some f-strings.
    except (ValueError, SystemError) as error:
        raise SyntaxError(str(error)) from None
    return tree


def _measure(tree: ast.Module) -> None:
    """Hold a tree to the bounds."""
    waiting: list[tuple[ast.AST, int, int]] = [(tree, 1, 0)]
    while waiting:
        node, depth, blocks = waiting.pop()
        blocks += _blocks(node)
        if depth > DEPTH or blocks > BLOCKS:
            raise SyntaxError(_TOO_DEEP)
        waiting += [(child, depth + 1, blocks) for child in ast.iter_child_nodes(node)]


def _blocks(node: ast.AST) -> int:
    """Return how many blocks, at most, CPython's compiler opens for a node."""
    if isinstance(node, _LOOPS):
        return 1
    if isinstance(node, ast.With | ast.AsyncWith):
        return len(node.items)
    if isinstance(node, ast.Try | ast.TryStar):
        return 3
    if isinstance(node, _COMPREHENSIONS):
        return len(node.generators)
    return 0
