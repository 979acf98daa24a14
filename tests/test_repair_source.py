"""A function's lines in a file, replaced by those of an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.corpus.sources.views import view
from coral_batch.verdicts.functions import SourceFile, read_source, with_answer

LINES = st.lists(
    st.sampled_from(["", "x = 1", "# def f():", "TEXT = '''\ndef f(): pass\n'''", "def g(): pass"]),
    max_size=4,
)
HEADS = st.sampled_from(["", "@staticmethod\n", "@(lambda f:\n  f)\n"])
BODIES = st.sampled_from(["    return 1", "    # why\n    return [\n        2,\n    ]", "    pass"])
DOCSTRINGS = st.sampled_from(["", '    """Say 1."""\n', '    """Say\n\n    1.\n    """\n'])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(LINES, LINES, HEADS, BODIES, DOCSTRINGS, ENDS, st.booleans(), st.booleans())
def test_replacing_a_functions_lines_leaves_all_other_bytes_as_they_were(
    above: list[str],
    below: list[str],
    head: str,
    body: str,
    docstring: str,
    end: str,
    marked: bool,
    finished: bool,
) -> None:
    before = "".join(f"{line}\n" for line in above) + head
    after = "".join(f"\n{line}" for line in below) + ("\n" if finished else "")
    signature = "def f(\n    a=1,\n):\n"
    text = f"{before}{signature}{docstring}{body}{after}".replace("\n", end)
    answer = (
        "import os\n\n\n@wrong\ndef f(\n    a=1,\n):\n    '''Not this.'''\n    return 3\n\n\nx = 2"
    )
    source = SourceFile(Path("f.py"), text, marked)
    changed = with_answer(source, "f", answer)
    assert changed is not None
    expected = f"{before}{signature}{docstring}    return 3{after}".replace("\n", end)
    assert changed.content == (b"\xef\xbb\xbf" if marked else b"") + expected.encode()


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("f", "def g():\n    return 1"),
        ("f", "def f(:\n"),
        ("f", "def f(): return '\ud800'"),
        ("f", "class A:\n    def f(self):\n        return 1"),
        ("A.f", "def f(self):\n    pass"),
        ("A.f", "class A:\n  def f(self):\n    pass"),
        ("A.f", "class B:\n    def f(self):\n        pass"),
        ("g", "def g(a, b=1): return 1\n"),
    ],
)
def test_an_answer_without_the_function_where_it_stands_gives_no_candidate(
    name: str, answer: str
) -> None:
    text = "def f():\n    return 0\n\n\nclass A:\n    def f(self):\n        return 0\n\n\n"
    text += 'def g(a):\n    """G."""\n    return 0\n'
    assert with_answer(SourceFile(Path("f.py"), text), name, answer) is None


def test_a_method_is_shown_below_its_classes_with_the_names_that_they_use() -> None:
    text = (
        "import re\nfrom abc import ABC\n\nBASE = ABC\n\n\nclass Outer(\n    BASE,\n):\n"
        '    """Outer."""\n\n    class Inner:\n        x = 1\n\n        @staticmethod\n'
        '        def f(n):\n            """Say n."""\n            return n\n'
    )
    assert view(SourceFile(Path("m.py"), text), "Outer.Inner.f") == (
        "BASE = ABC\n\n\nclass Outer(\n    BASE,\n):\n    class Inner:\n"
        "        @staticmethod\n        def f(n):\n            return n\n",
        "Say n.",
    )


ANSWER = 'def f(\n    x,\n    b=1,\n):\n    """Double."""\n    return 2 * x\n'


@pytest.mark.parametrize(
    ("text", "docstring"),
    [
        (
            'def f(x):\n    """Twice x.\n\n    >>> f(2)\n    4\n    """\n',
            '"""Twice x.\n\n    >>> f(2)\n    4\n    """',
        ),
        ('def f(x):\n    "Twice é."; return x\n', '"Twice é."'),
        ('def f(x):\n    """F."""\n    return 0\n', '"""F."""'),
        ('def f(x):\n    """F."""  # noqa: D401\n    return 0\n', '"""F."""  # noqa: D401'),
        ('def f(x): "Twice."; return x\n', '"""Double."""'),
    ],
    ids=["alone", "beside code", "another signature", "with a comment", "in the signature's line"],
)
def test_a_docstring_stays_where_nothing_or_code_stands_beside_it(
    text: str, docstring: str
) -> None:
    changed = with_answer(SourceFile(Path("f.py"), text), "f", ANSWER)
    assert changed is not None
    assert changed.text == ANSWER.replace('"""Double."""', docstring)


@pytest.mark.parametrize("cookie", ["utf-8", "U8"])
def test_a_file_may_say_in_any_way_that_it_is_utf8(cookie: str, tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text(f"# -*- coding: {cookie} -*-\nNAME = 'é'\n")
    assert read_source(file).text == file.read_text()
