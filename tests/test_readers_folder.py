"""A folder of a user's programs becomes problems, with tests in pytest's style or doctests."""

from __future__ import annotations

from pathlib import Path

import pytest

from coral_batch.errors import CoralError
from coral_batch.records.problem import Case
from tests.readers import kinds, passes, read, reasons

STATS = '''"""Small statistics."""

import math

LIMIT = 3


def mean(values, *, trim=0):
    """Return the mean, without the `trim` smallest and largest values."""
    values = sorted(values)[trim : len(values) - trim]
    if not values:
        raise ValueError("no values left")
    return math.fsum(values) / len(values)
'''
SPREAD = "\n\ndef spread(values):\n    return max(values) - min(values)\n"
PLAIN = "from stats import mean\n\n\ndef test_two():\n    assert mean([1, 3]) == 2\n"


def write(folder: Path, **files: str) -> Path:
    """Write files; of their names ``__`` stands for a slash and ``_buggy`` for ``.buggy``."""
    for name, text in files.items():
        file = folder / (name.replace("__", "/").replace("_buggy", ".buggy") + ".py")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return folder


def test_a_program_with_its_tests_beside_it_and_its_bug(tmp_path: Path) -> None:
    bug = STATS.replace("/ len", "/ 1 + len")
    write(tmp_path, stats=STATS, test_stats=PLAIN, stats_buggy=bug)
    (problem,), dropped = read("folder", tmp_path)
    assert (problem.name, problem.function) == ("stats", "mean")
    assert problem.cases == (Case(([1, 3],), 2),)
    assert problem.docstring.startswith("Return the mean")
    assert "Return the mean" not in problem.reference and "LIMIT = 3" in problem.reference
    assert problem.buggy == problem.reference.replace("/ len", "/ 1 + len")
    assert dropped == []
    assert (kinds(problem), kinds(problem, problem.buggy)) == (["PASS"], ["FAIL"])


@pytest.mark.parametrize(
    ("tests", "bug"), [("stats_test", "buggy__stats"), ("tests__test_stats", "stats_buggy")]
)
def test_tests_and_bugs_may_lie_in_folders(tmp_path: Path, tests: str, bug: str) -> None:
    write(tmp_path, stats=STATS, **{tests: PLAIN, bug: STATS.replace("fsum", "prod")})
    (problem,), _ = read("folder", tmp_path)
    assert problem.buggy is not None and "prod" in problem.buggy
    assert kinds(problem, problem.buggy) == ["FAIL"]


@pytest.mark.parametrize(
    ("tests", "names"),
    [
        ("import stats\ndef test_a(): assert stats.mean([1, 3], trim=0) == 2\n", ["test_a"]),
        ("import stats as s\ndef test_a(): assert s.mean([1]) > 0\n", ["test_a"]),
        ("from src.stats import mean as m\ndef test_a(): assert m([1]) < 2\n", ["test_a"]),
        ("from src import stats\ndef test_a(): assert stats.mean([1]) < 2\n", ["test_a"]),
        ("from .stats import mean\ndef test_a(): assert mean((1,)) == 1\n", ["test_a"]),
        (
            "import pytest\nfrom stats import mean\nCASES = [([1], 1), ([1, 2], 1.5)]\n"
            "@pytest.mark.parametrize('values, expected', CASES)\n"
            "def test_a(values, expected):\n    assert expected > 0 and mean(values) == expected\n",
            ["test_a_1", "test_a_2"],
        ),
        (
            "import pytest\nfrom stats import mean\n"
            "@pytest.mark.parametrize('trim', [0, False])\n"
            "@pytest.mark.parametrize(['values'], [([1, 2, 3],), pytest.param([2, 2], id='b')])\n"
            "def test_a(values, trim):\n    assert mean(values, trim=trim) == 2\n",
            ["test_a_1", "test_a_2", "test_a_3", "test_a_4"],
        ),
        (
            "import pytest\nfrom stats import mean\nvalues = (1, 2, 3)\n"
            "@pytest.mark.parametrize('values', [values, values[:2] + (3,)])\n"
            "def test_a(values):\n    assert mean(values) == 2\n"
            "@pytest.mark.parametrize('some', [[n + 1 for n in (1, 1)]])\n"
            "def test_b(some):\n    for n in some:\n        assert mean(some) == n\n",
            ["test_a_1", "test_a_2", "test_b_1"],
        ),
        (
            "import pytest\nfrom stats import mean\n"
            "def test_a():\n    with pytest.raises(ValueError, match='left'):\n        mean([])\n",
            ["test_a"],
        ),
        (
            "from stats import mean\ntests = [([1, 3], 2)]\ntest_more: list = []\n"
            "tests += test_more\ndef test_a():\n    test_b = mean([1, 3])\n"
            "    for test in tests:\n        assert mean(test[0]) == test[1] == test_b\n"
            "if __name__ == '__main__':\n    test_c = test_a\n    test_c()\n",
            ["test_a"],
        ),
        (
            "from stats import mean\ndef number(text):\n    try:\n        return int(text)\n"
            "    except ValueError:\n        return 0\n"
            "def test_a():\n    try:\n        assert mean([number('1')]) == number('1')\n"
            "    finally:\n        number('a')\n",
            ["test_a"],
        ),
        (
            "import math, sys\nimport pytest\nfrom stats import LIMIT, mean\n"
            "sys.path.insert(0, '.')\nROOT = math.sqrt(9)\n"
            "def many(n):\n    return [ROOT] * n\n"
            "def test_a():\n    assert mean(many(LIMIT)) == pytest.approx(ROOT)\n",
            ["test_a"],
        ),
    ],
)
def test_what_is_read_of_pytest_runs_in_the_jail(
    tmp_path: Path, tests: str, names: list[str]
) -> None:
    (problem,), _ = read("folder", write(tmp_path, stats=STATS, test_stats=tests))
    assert problem.tests is not None
    assert [line[4:-3] for line in problem.tests.splitlines() if "def test" in line] == names
    assert kinds(problem) == ["PASS"] * len(names)
    wrong = kinds(problem, "def mean(values, *, trim=0):\n    return str(values)\n")
    assert set(wrong) == {"FAIL"}


@pytest.mark.parametrize(
    "tests",
    [
        "TABLE = []\nTABLE.append(([1, 3], 2))\n"
        "def test_a():\n    for values, mid in TABLE:\n        assert mean(values) == mid\n",
        "EX = {}\nEX['values'] = [1, 3]\n"
        "def test_a():\n    assert [mean(EX[name]) for name in EX] == [2]\n",
        "def fill():\n    TABLE.append([1, 3])\nTABLE = []\nfill()\n"
        "def test_a():\n    assert list(map(mean, TABLE)) == [2]\n",
        "import random\nrandom.seed(1)\nDATA = [random.randint(0, 99) for _ in range(3)]\n"
        "def test_a(): assert DATA == [17, 72, 97] and mean(DATA) == 62\n",
        "from random import randint, seed\nseed(1)\nDATA = [randint(0, 99) for _ in range(3)]\n"
        "def test_a(): assert DATA == [17, 72, 97] and mean(DATA) == 62\n",
        "import decimal\nfrom decimal import Decimal\ndecimal.getcontext().prec = 5\n"
        "def test_a(): assert mean([1, 3]) == 2 and str(Decimal(1) / 3) == '0.33333'\n",
        "import random\ndef begin():\n    random.seed(1)\nbegin()\nFIRST = random.randint(0, 99)\n"
        "def test_a(): assert mean([FIRST]) == FIRST == 17\n",
        "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n"
        "sys.path[:0] = [__file__]\nsys.path += [__file__]\n"
        "def test_a(): assert mean([1, 3]) == os.path.sep.count('/') * 2 < sys.maxsize\n",
        "try:\n    from statistics import fmean as real\nexcept ImportError:\n"
        "    def real(values): return 2\n"
        "def test_a(): assert mean([1, 3]) == real([1, 3])\n",
    ],
)
def test_what_changes_a_value_of_the_test_file_comes_along(tmp_path: Path, tests: str) -> None:
    text = "from stats import mean\n" + tests
    (problem,), _ = read("folder", write(tmp_path, stats=STATS, test_stats=text))
    assert kinds(problem) == ["PASS"]
    assert kinds(problem, "def mean(values):\n    return 1\n") == ["FAIL"]


GCD = "def gcd(a, b):\n    return a if b == 0 else gcd(b, a % b)\n"


@pytest.mark.parametrize(
    "tests",
    [
        "import math, gcd\ndef test_a(): assert gcd.gcd(4, 6) == math.gcd(4, 6)\n",
        "from math import gcd as real\nfrom gcd import gcd\n"
        "def test_a(): assert gcd(4, 6) == real(4, 6)\n",
    ],
)
def test_a_module_imported_beside_the_program_is_not_the_program(
    tmp_path: Path, tests: str
) -> None:
    (problem,), _ = read("folder", write(tmp_path, gcd=GCD, test_gcd=tests))
    assert kinds(problem) == ["PASS"]
    assert kinds(problem, "def gcd(a, b):\n    return a\n") == ["FAIL"]


def test_a_parameter_in_a_loop_is_one_value(tmp_path: Path) -> None:
    tests = (
        "import pytest\nfrom last import last\n@pytest.mark.parametrize('x', [[1, 2, 3]])\n"
        "def test_a(x):\n    for item in (3, 2, 1):\n        assert last(x) == item\n"
    )
    program = "def last(x):\n    return x.pop()\n"
    (problem,), _ = read("folder", write(tmp_path, last=program, test_last=tests))
    assert kinds(problem) == ["PASS"]
    assert kinds(problem, "def last(x):\n    return x[-1]\n") == ["FAIL"]


def test_a_bug_belongs_to_the_functions_that_use_what_it_changes(tmp_path: Path) -> None:
    helper = "def half(n):\n    return n / 2\n\n\n"
    program = helper + "def middle(a, b):\n    return half(a + b)\n" + SPREAD
    tests = "from own import middle, spread\ndef test_a(): assert middle(1, 3) == 2\n"
    tests += "def test_b(): assert spread([1, 3]) == 2\n"
    write(tmp_path, own=program, own_buggy=program.replace("/ 2", "/ 3"), test_own=tests)
    problems, _ = read("folder", tmp_path)
    assert [(one.name, one.buggy is None) for one in problems] == [
        ("own_middle", False),
        ("own_spread", True),
    ]


def test_parametrized_asserts_on_plain_values_are_cases(tmp_path: Path) -> None:
    tests = "import pytest\nfrom stats import mean\n"
    tests += "@pytest.mark.parametrize('values, expected', [([1], 1), ([1, 2], 1.5)])\n"
    tests += "def test_a(values, expected):\n    assert mean(values) == expected\n"
    (problem,), _ = read("folder", write(tmp_path, stats=STATS, test_stats=tests))
    assert problem.cases == (Case(([1],), 1), Case(([1, 2],), 1.5))


def test_each_function_under_test_is_a_problem(tmp_path: Path) -> None:
    tests = PLAIN.replace("mean\n", "mean, spread\n", 1)
    tests += "\n\ndef test_spread():\n    assert spread([1, 3]) == 2\n"
    bug = (STATS + SPREAD).replace("max(values) -", "max(values) +")
    write(tmp_path, stats=STATS + SPREAD, test_stats=tests, stats_buggy=bug)
    problems, _ = read("folder", tmp_path)
    assert [(one.name, one.function) for one in problems] == [
        ("stats_mean", "mean"),
        ("stats_spread", "spread"),
    ]
    assert [one.buggy is None for one in problems] == [True, False]
    assert problems[1].docstring == "Small statistics."
    assert passes(problems) == [True, True]
    assert kinds(problems[1], problems[1].buggy) == ["FAIL"]


DOCTESTS = '''def longest(words):
    """Return the longest word.

    >>> from words import longest
    >>> longest(["a", "bbb"])
    'bbb'
    >>> many = ["a"] * 3
    >>> many.append("bb")
    >>> longest(many)
    'bb'
    >>> longest(("a",)) == "a"
    True
    >>> longest([]) # doctest: +SKIP
    'x'
    >>> longest([])
    Traceback (most recent call last):
        ...
    ValueError: no words
    >>> longest([None])
    """
    if not words:
        raise ValueError("no words")
    return max(words, key=LENGTH) if words[0] else None


LENGTH = len
'''


def test_examples_in_docstrings_are_tests_where_there_is_no_test_file(tmp_path: Path) -> None:
    (problem,), _ = read("folder", write(tmp_path, words=DOCTESTS))
    assert (problem.name, problem.function) == ("words", "longest")
    assert problem.docstring.startswith("Return the longest word.")
    assert kinds(problem) == ["PASS"] * 5
    wrong = "def longest(words):\n    raise ValueError('no words at all')\n"
    assert kinds(problem, wrong) == ["ERROR", "ERROR", "ERROR", "FAIL", "ERROR"]


def test_examples_on_plain_values_are_cases(tmp_path: Path) -> None:
    program = (
        'def half(n):\n    """\n    >>> half(4)\n    2.0\n    >>> half(n=1)\n    0.5\n    """\n'
    )
    program += "    return n / 2\n"
    (problem,), _ = read("folder", write(tmp_path, a=program.replace("n=1", "1")))
    assert problem.cases == (Case((4,), 2.0), Case((1,), 0.5))
    (problem,), _ = read("folder", write(tmp_path, a=program))
    assert passes([problem]) == [True]


def test_an_example_may_print_its_value(tmp_path: Path) -> None:
    program = 'def half(n):\n    """\n    >>> print(half(4))\n    2.0\n    """\n    return n / 2\n'
    (problem,), _ = read("folder", write(tmp_path, a=program))
    assert kinds(problem) == ["PASS"]
    assert kinds(problem, "def half(n):\n    return n // 2\n") == ["FAIL"]


def test_programs_without_tests_and_tests_without_a_program_are_dropped(tmp_path: Path) -> None:
    write(tmp_path, stats=STATS, test_stats=PLAIN, helper="x = 1\n", test_other="", conftest="")
    problems, dropped = read("folder", tmp_path)
    assert [problem.name for problem in problems] == ["stats"]
    assert reasons(dropped) == [("helper", "untested"), ("test_other", "untested")]


TEST = "from stats import mean\n{}\ndef test_a({}):\n    {}\n"
MARK = "import pytest\n@pytest.mark.{}"


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        (TEST.format("", "tmp_path", "assert mean([1])"), ["tmp_path, a fixture"]),
        (TEST.format("", "*values", "assert mean([1])"), ["parameters of test_a"]),
        (TEST.format(MARK.format("skip"), "", "assert mean([1])"), ["pytest.mark.skip"]),
        (
            TEST.format(MARK.format("parametrize('n', range(3))"), "n", "assert mean([n])"),
            ["no list"],
        ),
        (
            TEST.format(
                "n = [1, 2, 3]\n" + MARK.format("parametrize(('n', 'm'), [(n, 2), (n[:2], 1.5)])"),
                "n, m",
                "found = mean(n)\n    assert found == m",
            ),
            ["parametrize of test_a", "n reads n", "rename one"],
        ),
        (
            TEST.format(
                "FOUND = 2\n" + MARK.format("parametrize('n', [FOUND])"),
                "n",
                "FOUND = mean([n])\n    assert FOUND == 2",
            ),
            ["FOUND reads FOUND", "rename one"],
        ),
        (
            TEST.format(MARK.format("parametrize('a, n', [1])"), "a, n", "assert mean([n])"),
            ["1 is no value for a, n"],
        ),
        (
            TEST.format(
                MARK.format("parametrize('n', [pytest.param(1, marks=1)])"), "n", "assert mean([n])"
            ),
            ["pytest.param with marks"],
        ),
        (
            TEST.format(
                "CASES = [1]\nCASES += [2]\n" + MARK.format("parametrize('n', CASES)"),
                "n",
                "assert mean([n])",
            ),
            ["one that is changed"],
        ),
        (
            TEST.format(
                "CASES = [1]\nCASES.append(2)\n" + MARK.format("parametrize('n', CASES)"),
                "n",
                "assert mean([n])",
            ),
            ["one that is changed"],
        ),
        (
            TEST.format(MARK.format("parametrize('n', [*range(3)])"), "n", "assert mean([n])"),
            ["no list"],
        ),
        (
            TEST.format(
                MARK.format("parametrize('n', [1], indirect=True)"), "n", "assert mean([n])"
            ),
            ["the decorator of test_a"],
        ),
        (
            TEST.format("import pytest\npytestmark = pytest.mark.xfail", "", "assert mean([1])"),
            ["pytestmark"],
        ),
        (TEST.format("def setup_function(): pass", "", "assert mean([1])"), ["setup_function"]),
        (TEST.format("import pytest as pt", "", "assert mean([1])"), ["import pytest as"]),
        (TEST.format("", "", "assert mean(b'ab')"), ["gives mean bytes"]),
        (TEST.format("import pytest\n@pytest.fixture\ndef n(): pass", "", "mean(1)"), ["fixture"]),
        (TEST.format("", "", "assert mean(lambda: 1)"), ["a function or a class"]),
        (TEST.format("def g(): pass", "", "assert mean([g])"), ["a function or a class"]),
        (TEST.format("class A: pass", "", "assert mean([A()])"), ["an instance of A"]),
        (
            TEST.format("", "", "try: mean([])\n    except ValueError: pass"),
            ["catches an exception", "only pytest.raises"],
        ),
        (
            "import stats as s\ndef test_a():\n    try: s.mean([])\n    except: pass\n",
            ["catches an exception"],
        ),
        (
            TEST.format(
                "from contextlib import suppress",
                "",
                "with suppress(ValueError):\n        mean([])\n        assert False",
            ),
            ["catches an exception"],
        ),
        (
            TEST.format(
                "def middle(values): return mean(values)",
                "",
                "try: middle([])\n    except ValueError: pass",
            ),
            ["catches an exception"],
        ),
        (
            TEST.format(
                "def fails(call):\n    try: call()\n    except ValueError: return True",
                "",
                "assert fails(lambda: mean([]))",
            ),
            ["catches an exception"],
        ),
        (TEST.format("", "", "assert True"), ["calls no function"]),
        (TEST.format("", "", "from stats import spread"), ["inside a function"]),
        (TEST.format("import numpy", "", "assert mean([1])"), ["numpy", "standard library"]),
        (TEST.format("from pytest import raises", "", "mean([1])"), ["import pytest"]),
        (TEST.format("import pytest", "", "pytest.fail(mean([1]))"), ["pytest.fail"]),
        (
            TEST.format("import pytest", "", "pytest.raises(ValueError, mean, [])"),
            ["pytest.raises other than"],
        ),
        (
            TEST.format("import pytest", "", "with pytest.raises(ValueError) as e: mean([])"),
            ["pytest.raises(...) as"],
        ),
        (
            TEST.format("import pytest", "", "with pytest.raises(stats.Own): mean([])"),
            ["exception that Python itself does not have"],
        ),
        ("from stats import *\ndef test_a(): assert mean([1])\n", ["import *"]),
        ("import src.stats\ndef test_a(): assert src.stats.mean([1])\n", ["without as"]),
        (
            "import stats\ndef test_a(): assert stats.mean([stats.LIMIT])\n",
            ["LIMIT", "by its name"],
        ),
        ("from stats import LIMIT as L, mean\ndef test_a(): assert mean([L])\n", ["another name"]),
        ("from stats import mode\ndef test_a(): assert mode([1])\n", ["mode"]),
        ("from stats import mean\n", ["no functions named test"]),
        ("from stats import mean\ndef test_a(:\n", ["does not parse"]),
        ("class TestMean:\n    pass\n", ["class TestMean"]),
        ("async def test_a(): pass\n", ["async def test_a"]),
        (PLAIN + "if True:\n    def test_b(): assert mean([1])\n", ["test_b in a block"]),
        (
            PLAIN + "try:\n    import ctypes\nexcept ImportError:\n    pass\nelse:\n"
            "    def test_b(): assert mean([1])\n",
            ["test_b in a block"],
        ),
        (
            PLAIN + "def make(n):\n    def inner(): assert mean([n])\n    return inner\n"
            "test_c = make(3)\n",
            ["the variable test_c"],
        ),
        (PLAIN + "test_c, more = PAIR = test_two, 1\n", ["the variable test_c"]),
        (PLAIN + "test_two = None\n", ["the variable test_two"]),
        (PLAIN + "for test_c in [test_two]: pass\n", ["the variable test_c"]),
        (PLAIN + PLAIN, ["two tests", "test_two"]),
        (
            "from stats import mean, spread\ndef test_a(): assert mean([1]) == spread([2])\n",
            ["test_a calls mean and spread"],
        ),
    ],
)
def test_tests_that_cannot_be_used_are_refused_by_name(
    tmp_path: Path, tests: str, words: list[str]
) -> None:
    write(tmp_path, stats=STATS + SPREAD, test_stats=tests)
    with pytest.raises(CoralError) as caught:
        read("folder", tmp_path)
    for word in ["test_stats.py", "docs/corpora.md", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("example", "words"),
    [
        (">>> f(1)\n    a b", ["'a b' is no value"]),
        (">>> f([0, 1, 2])\n    [0, ..., 2]", ["'[0, ..., 2]' is no value"]),
        (">>> print(f(1), 2)\n    1 2", ["prints otherwise than by print(...) of one value"]),
        (">>> print(f(1))\n    <BLANKLINE>", ["an empty line"]),
        (">>> import numpy\n    >>> f(numpy.int64(1))\n    1", ["imports numpy"]),
        (">>> f(1) # doctest: +ELLIPSIS\n    1", ["options"]),
        (">>> f(\n    1", ["f("]),
        (">>> x = f(1)\n    1", ["no expression"]),
        (">>> f(1)\n    Traceback (most recent call last):\n    Own: x", ["no exception Own"]),
        (">>>f(1)", ["cannot be read"]),
        (">>> f(g(1))\n    1", ["calls f and g"]),
        (">>> Own()\n    1", ["Own, which is no plain function"]),
    ],
)
def test_examples_that_cannot_be_used_are_refused_by_name(
    tmp_path: Path, example: str, words: list[str]
) -> None:
    program = f'def f(n):\n    """\n    {example}\n    """\n    return n\n\n'
    program += "def g(n):\n    return n\n\nclass Own(Exception):\n    pass\n"
    with pytest.raises(CoralError) as caught:
        read("folder", write(tmp_path, a=program))
    for word in ["a.py", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"stats": "import numpy\n" + STATS}, ["stats.py", "numpy", "standard library"]),
        ({"stats": "from . import other\n" + STATS}, ["stats.py", "imports its own package"]),
        ({"stats": "def mean(:\n"}, ["stats.py", "does not parse"]),
        ({"stats": STATS.replace("def", "async def")}, ["no plain function"]),
        ({"stats": STATS.replace("def mean", "def other")}, ["mean", "does not define"]),
        ({"tests__stats_test": PLAIN}, ["several test files", "tests/stats_test.py"]),
        ({"stats_buggy": "def mean(:\n"}, ["stats.buggy.py", "does not parse"]),
        ({"stats_buggy": "x = 1\n"}, ["stats.buggy.py", "def mean"]),
        ({"stats_buggy": STATS + "# the same\n"}, ["stats.buggy.py", "is the correct one"]),
        ({"stats_buggy": STATS, "buggy__stats": STATS}, ["two bugs"]),
        ({"stat_buggy": STATS}, ["stat.buggy.py", "without its program"]),
        ({"my-stats": STATS, "test_my-stats": PLAIN}, ["my-stats.py", "letters"]),
    ],
)
def test_files_that_cannot_be_used_are_refused_by_name(
    tmp_path: Path, files: dict[str, str], words: list[str]
) -> None:
    write(tmp_path, **{"stats": STATS, "test_stats": PLAIN, **files})
    with pytest.raises(CoralError) as caught:
        read("folder", tmp_path)
    for word in words:
        assert word in str(caught.value)


def test_a_folder_without_programs_or_tests_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CoralError, match="no program with tests"):
        read("folder", write(tmp_path, stats=STATS))
    with pytest.raises(CoralError, match="no folder"):
        read("folder", tmp_path / "stats.py")
