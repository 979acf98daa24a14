"""Lint errors of layout: spaces, blank lines, indentation, line breaks, comments.

Each function finds the sites of a program at which one flake8 code can be put in, or returns such a
function. The syntax tree stays the same (`coral_batch.linteval.items.mutants` checks it).
"""

from __future__ import annotations

import ast
import keyword
import tokenize
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from coral_batch.corpus.code.edits import Edit
from coral_batch.linteval.items.view import Line, Site, Sites, Token, View

_OPENING = ("(", "[", "{")
_CLOSING = (")", "]", "}")
_BINDING = (
    *("=", "+=", "-=", "*=", "/=", "//=", "%="),
    *("==", "!=", "<", ">", "<=", ">="),
)
_COMMENTS = ("check this case", "keep the order", "the next step", "see above")
LONG = (
    "The lines below take one step after the other, and the result is ready when all are done.",
)


def between(text: str, holds: Callable[[Token, Token], bool]) -> Sites:
    """Replace the text between two neighbours on a line."""

    def sites(view: View) -> Iterator[Site]:
        for left, right in view.neighbours():
            if holds(left, right):
                yield (Edit(left.end, right.start, text),)

    return sites


def opening(left: Token, right: Token) -> bool:
    """E201: whitespace after an opening bracket."""
    return left.text in _OPENING and left.end == right.start and right.text not in _CLOSING


def closing(left: Token, right: Token) -> bool:
    """E202: whitespace before a closing bracket."""
    tight = left.end == right.start and left.text not in (*_OPENING, ",")
    return right.text in _CLOSING and tight


def punctuation(left: Token, right: Token) -> bool:
    """E203: whitespace before a comma or a colon."""
    return right.text in {",", ":"} and left.end == right.start and left.text not in _OPENING


def arguments(left: Token, right: Token) -> bool:
    """E211: whitespace before the bracket of a call or an index."""
    named = left.kind == tokenize.NAME and not keyword.iskeyword(left.text)
    return named and right.text in {"(", "["} and left.end == right.start


def comma(left: Token, right: Token) -> bool:
    """E231: no whitespace after a comma."""
    return left.text == "," and _spaced(left, right)


def after_keyword(left: Token, right: Token) -> bool:
    """E271, E273: several spaces or a tab after a keyword."""
    return _is_keyword(left) and _spaced(left, right) and right.kind != tokenize.COMMENT


def before_keyword(left: Token, right: Token) -> bool:
    """E272, E274: several spaces or a tab before a keyword."""
    operand = left.kind in {tokenize.NAME, tokenize.NUMBER} or left.text in _CLOSING
    word = right.text in {"in", "and", "or", "if", "else", "is"}
    return word and operand and _spaced(left, right) and not _is_keyword(left)


def around_operator(before: str, after: str, operators: tuple[str, ...] = _BINDING) -> Sites:
    """E221 to E225, E228: no, several or other blanks before or after an operator."""

    def sites(view: View) -> Iterator[Site]:
        for left, operator, right in _triples(view):
            spaced = _spaced(left, operator) and _spaced(operator, right)
            if operator.text in operators and spaced:
                first = Edit(left.end, operator.start, before)
                yield first, Edit(operator.end, right.start, after)

    return sites


def around_default(view: View) -> Iterator[Site]:
    """E251: whitespace around the equals sign of a keyword or a default."""
    for left, operator, right in _triples(view):
        if operator.text == "=" and operator.depth and left.end == operator.start:
            yield Edit(left.end, left.end, " "), Edit(right.start, right.start, " ")


def parenthesis_after_keyword(view: View) -> Iterator[Site]:
    """E275: a keyword with a parenthesis right after it."""
    for node in ast.walk(view.tree):
        word = {ast.If: "if", ast.While: "while", ast.Return: "return"}.get(type(node))
        inner = getattr(node, "test", None) or getattr(node, "value", None)
        if word is None or inner is None or isinstance(inner, ast.Tuple):
            continue
        start, end = view.start(inner), view.end(inner)
        if view.text[:start].endswith(word + " ") and view.text[end : end + 1] in {":", "\n"}:
            yield Edit(start - 1, start, "("), Edit(end, end, ")")


def inline_comment(opening: str) -> Sites:
    """E261, E262: a comment too close to the code or to its own ``#``."""

    def sites(view: View) -> Iterator[Site]:
        for number, end in enumerate(_code_ends(view)):
            yield (Edit(end, end, opening + _COMMENTS[number % len(_COMMENTS)]),)

    return sites


def block_comment(opening: str, step: int = 0, comments: Sequence[str] = _COMMENTS) -> Sites:
    """E265, E266, E116, E501: a comment line with a wrong sign or indentation, or too long."""

    def sites(view: View) -> Iterator[Site]:
        for number, line in enumerate(_later_lines(view)):
            comment = opening + comments[number % len(comments)]
            yield (Edit(line.start, line.start, " " * (line.indent + step) + comment + "\n"),)

    return sites


def comment_instead_of_block(view: View) -> Iterator[Site]:
    """E115: a comment that is not indented where a block begins."""
    for suite in view.bodies():
        line = view.line(suite[0])
        first = line.text_start == view.start(suite[0])
        if first and line.indent >= 4 and not view.text.startswith("elif", line.text_start):
            comment = " " * (line.indent - 4) + f"# {_COMMENTS[0]}\n"
            yield (Edit(line.start, line.start, comment),)


def continuation(shift: int, end: str = "") -> Sites:
    """E127, E128, E502: a line broken after a comma, with a wrong indentation or a backslash."""

    def sites(view: View) -> Iterator[Site]:
        for left, right, column in _breaks(view):
            yield (Edit(left.end, right.start, f"{end}\n" + " " * max(column + shift, 0)),)

    return sites


def few_blank_lines(view: View) -> Iterator[Site]:
    """E302: less than two blank lines before a function."""
    for function in view.functions():
        line = view.line(function)
        if view.text[: line.start].endswith("\n\n\n"):
            yield (Edit(line.start - 1, line.start, ""),)
            yield (Edit(line.start - 2, line.start, ""),)


def blank_lines(text: Callable[[Line], str]) -> Sites:
    """E303, W293: blank lines inside a function that are too many, or not empty."""

    def sites(view: View) -> Iterator[Site]:
        for line in _later_lines(view):
            if line.indent and not view.text[: line.start].endswith("\n\n"):
                yield (Edit(line.start, line.start, text(line)),)

    return sites


def trailing_blanks(view: View) -> Iterator[Site]:
    """W291: whitespace at the end of a line."""
    for end in _code_ends(view):
        yield (Edit(end, end, " "),)


def no_final_newline(view: View) -> Iterator[Site]:
    """W292: no newline at the end of the file."""
    text = view.text.rstrip("\n")
    yield (Edit(len(text), len(view.text), ""),)


def final_blank_lines(view: View) -> Iterator[Site]:
    """W391: blank lines at the end of the file."""
    size = len(view.text)
    yield (Edit(size, size, "\n"),)
    yield (Edit(size, size, "\n\n"),)


def indentation(unit: str, deep: str | None = None) -> Sites:
    """E111, E117, W191, E101: the whole program indented by `unit` a level.

    With `deep`, the levels below the first have this indentation, and the first stays.
    """

    def sites(view: View) -> Iterator[Site]:
        edits = []
        for line in view.logical_lines():
            levels = line.indent // 4
            text = unit * levels if deep is None else unit + deep * (levels - 1)
            if levels and text != view.text[line.start : line.text_start]:
                edits.append(Edit(line.start, line.text_start, text))
        if edits:
            yield tuple(edits)

    return sites


def _triples(view: View) -> Iterator[tuple[Token, Token, Token]]:
    for (left, middle), (again, right) in pairwise(view.neighbours()):
        if again is middle:
            yield left, middle, right


def _spaced(left: Token, right: Token) -> bool:
    """Whether one space is between two tokens of a line."""
    return left.line == right.line and right.start == left.end + 1


def _is_keyword(token: Token) -> bool:
    constant = token.text in {"None", "True", "False"}
    return token.kind == tokenize.NAME and keyword.iskeyword(token.text) and not constant


def _code_ends(view: View) -> Iterator[int]:
    """Yield the ends of the lines that have code and no comment."""
    last: dict[int, Token] = {}
    for token in view.tokens:
        last[token.line] = token
    for number, token in sorted(last.items()):
        if token.kind != tokenize.COMMENT and "\n" not in token.text:
            line = view.lines[number - 1]
            if token.end == line.end:
                yield line.end


def _later_lines(view: View) -> Iterator[Line]:
    """Yield the lines of statements in functions that follow a simple statement."""
    for suite in view.bodies():
        for before, node in pairwise(suite):
            line = view.line(node)
            # A comment after a block would belong to it, whatever its indentation.
            if line.text_start == view.start(node) and line.indent and not hasattr(before, "body"):
                yield line


def _breaks(view: View) -> Iterator[tuple[Token, Token, int]]:
    """Yield commas in brackets opened on their line, with the column that lines up."""
    opened: list[Token] = []
    for left, right in view.neighbours():
        opened = [token for token in opened if token.line == left.line and token.depth < left.depth]
        if left.text in _OPENING:
            opened.append(left)
        inner = [token for token in opened if token.depth == left.depth - 1]
        if left.text == "," and _spaced(left, right) and inner:
            yield left, right, inner[-1].end - view.lines[left.line - 1].start
