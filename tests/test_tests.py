"""What holds for the tests themselves: what imports test files, and how parameters are changed."""

import re

from tests import REPOSITORY, conftest

FILES = sorted((REPOSITORY / "tests").rglob("*.py"))
USERS = [*FILES, *sorted((REPOSITORY / "benchmarks").rglob("*.py"))]


def test_no_file_imports_a_test_file() -> None:
    """A program that a test starts may not either: its text is searched as well."""
    pattern = re.compile(
        r"(?:from|import)\s+tests[\w.]*\.test_|from\s+tests[\w.]*\s+import\s+test_"
    )
    wrong = [str(file) for file in USERS if pattern.search(file.read_text(encoding="utf-8"))]
    assert wrong == []


def test_the_lists_of_long_and_slow_files_name_files_that_are_there() -> None:
    assert {*conftest.LONG, *conftest.SLOW} <= {file.name for file in FILES}
