"""What counts as Python: the same texts, whichever version of Python is asked.

Versions differ in how deeply text may be nested before they give up or crash, and each adds to the
language. So text is parsed by the grammar of Python 3.11, the oldest version that is supported, and
held to bounds of our own, below those that any version was seen to have. The jail, the scores and
the corpus all ask here.

What it does not cover: names with letters that Unicode got since, defects of single releases
(3.12.1 fails at ``f"{a:{b=}}"``), and what flake8 says of a text.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

DEPTH = 200
"""Most levels of the syntax tree. flake8 fails from about 330 on, Python 3.11 from 2,980 on.

Each operator of a chain (``1 + 1 + 1``, ``a.b.c``) and each ``elif`` is a level.
"""

BLOCKS = 15
"""Most blocks inside one another, as `_blocks` counts them.

Python compiles 20 or 21, and from 3.12 on crashes at 18 asynchronous comprehensions.
"""

SPECIFICATIONS = 2
"""Most fields of an f-string that stand in one another's format specification, as in 3.11."""

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
        if _measure(tree) and _newer_format(code):
            raise SyntaxError("an f-string that Python 3.11 does not know")
    except (RecursionError, MemoryError):
        raise SyntaxError(_TOO_DEEP) from None
    # Null bytes, lone surrogates; SystemError is how Python 3.12 and 3.13 fail at some f-strings.
    except (ValueError, SystemError, tokenize.TokenError) as error:
        raise SyntaxError(str(error)) from None
    return tree


def _measure(tree: ast.Module) -> bool:
    """Hold a tree to the bounds, and return whether there is an f-string in it."""
    formatted = False
    waiting: list[tuple[ast.AST, int, int, int]] = [(tree, 1, 0, 0)]
    while waiting:
        node, depth, blocks, specifications = waiting.pop()
        blocks += _blocks(node)
        if isinstance(node, ast.FormattedValue):
            if isinstance(node.value, ast.Starred):
                raise SyntaxError("a starred expression in an f-string")
            formatted = True
            specifications += 1
        if depth > DEPTH or blocks > BLOCKS or specifications > SPECIFICATIONS:
            raise SyntaxError(_TOO_DEEP)
        for child in ast.iter_child_nodes(node):
            # What a field formats starts again: fields nest in format specifications.
            formatted_value = isinstance(node, ast.FormattedValue) and child is node.value
            waiting.append((child, depth + 1, blocks, 0 if formatted_value else specifications))
    return formatted


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


def _newer_format(code: str) -> bool:
    """Whether an f-string of text that parses is written as only Python 3.12 or newer allows.

    Up to 3.11 an f-string was one string to the tokenizer: it ended at the first quote like its
    own, its fields held no backslash and no comment, and no space followed a conversion (``!r``).
    See PEP 701. A tokenizer of 3.11 gives no tokens inside an f-string, so that nothing is found
    there.
    """
    text = code.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    opened: list[str] = []  # the quotes of the f-strings around a token
    tokens = [*tokenize.generate_tokens(io.StringIO(text).readline)]
    for last, token in zip([tokens[0], *tokens], tokens, strict=False):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_END":
            opened.pop()
        # The literal parts of an f-string are in none of its own fields.
        around = opened[:-1] if kind == "FSTRING_MIDDLE" else opened
        if around and (kind == "COMMENT" or _continued(last, token)):
            return True
        if any(_breaks(token.string, quote) for quote in around):
            return True
        if kind == "FSTRING_START":
            opened.append(token.string.lstrip("fFrR"))
    return any(
        mark.string == "!" and mark.type == tokenize.OP and conversion.end != follower.start
        for mark, conversion, follower in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


def _continued(last: tokenize.TokenInfo, token: tokenize.TokenInfo) -> bool:
    """Whether a backslash at the end of a line stands between two tokens."""
    ended = last.type in {tokenize.NL, tokenize.NEWLINE}
    return not ended and token.start[0] > last.end[0]


def _breaks(text: str, quote: str) -> bool:
    return "\\" in text or quote in text or (len(quote) == 1 and "\n" in text)
