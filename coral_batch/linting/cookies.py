"""Sources that a linter reads as another program than the one that runs, for their coding cookie.

A source is text here, and the jail compiles that text. The linters are made for files: they read
its bytes as a cookie (PEP 263) says, so that a comment can turn into code, and code into a string.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator


def misread(source: str) -> bool:
    """Whether a coding cookie makes a source another text for flake8 or bandit.

    One by which its bytes say the same does not: ``latin-1`` in a source of ASCII alone. Nor does
    one by which they say nothing, which the linters themselves complain of.
    """
    text = _newlines(source.removeprefix("\ufeff"))
    return any(_newlines(other) != text for other in _readings(source))


def _readings(source: str) -> Iterator[str]:
    """Yield the texts that a source's bytes may be, as far as they are any."""
    # Where a line ends decides where a cookie may stand: Python's parser takes "\r" for one as
    # well, the tokenizer that flake8 asks does not.
    for text in (source, _newlines(source)):
        try:
            data = text.removeprefix("\ufeff").encode()
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        except (SyntaxError, UnicodeEncodeError):
            continue
        for read in (_as_a_file, _at_once):
            try:
                yield read(data, encoding)
            except (LookupError, ValueError):
                continue


def _as_a_file(data: bytes, encoding: str) -> str:
    """Decode as flake8 does."""
    return io.TextIOWrapper(io.BytesIO(data), encoding).read()


def _at_once(data: bytes, encoding: str) -> str:
    """Decode as Python's parser does, which bandit gives the bytes."""
    return data.decode(encoding)


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
