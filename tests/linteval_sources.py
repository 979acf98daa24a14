"""Programs that CodeLinterEval items are made of, in tests."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from coral_batch.commands import cli
from coral_batch.lake import params
from coral_batch.linteval.items.build import build
from coral_batch.linteval.items.item import instructions
from coral_batch.linteval.items.mutants import mutants
from coral_batch.linteval.items.sources import read_snippets
from coral_batch.records.items import Candidate, DataSet, Inputs, Item, ItemTests, Meta
from coral_batch.records.problem import Case
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.pool import judge
from tests import REPOSITORY
from tests.readers import MBPP, jsonl

SNIPPETS, _ = read_snippets(REPOSITORY / "lake/raw/snippets")
ROW = {
    **MBPP,
    "code": "def add(a,b): \r\n\treturn a + b",
    "test_setup_code": "limit = 3\r\nitems = (limit, 4)",
    "test_list": [
        "assert add(1, 2) == limit",
        'assert add("""a\n""", "b") == "a\\nb"',
        "assert add((1,), items) == (1, 3, 4)",
    ],
}
RECORD = {
    "instruction": "Fix {code}: {feedback}",
    "inputs": {"code": "x=1\n", "feedback": "any text, as published\n"},
    "outputs": [1, 0],
    "meta": {"id": 5, "canonical_code": "x = 1\n", "category": "style"},
}


CODE = "import os\ndef double(x):\n  return x+x\n"
CLEAN = "def double(x):\n    return x + x\n"
TWICE = (CODE.replace("double", "twice"), CLEAN.replace("double", "twice"))


def an_item(
    number: int,
    code: str = CODE,
    clean: str = CLEAN,
    prompt: str = "{feedback}{code}",
    feedback: str = "as flake8 says\n",
) -> Item:
    return Item(prompt, Inputs(code, feedback), (), Meta(number, clean))


def its_tests(
    number: int, source: str, function: str | None = None, *cases: tuple[int, int]
) -> ItemTests:
    """Return tests of an item: pairs of the argument and the expected result."""
    made = tuple(Case((argument,), expected) for argument, expected in cases)
    return ItemTests(number, source, function, made, None)


def in_jail(programs: Sequence[Program], workers: int = 1) -> list[list[Verdict]]:
    return judge(programs, params.load(REPOSITORY / "params.yaml").verdicts, workers)


def made_of(candidates: Sequence[Candidate], language: str = "en") -> DataSet:
    return build(candidates, instructions(language), in_jail, workers=1)


@functools.cache
def bundled() -> DataSet:
    """Return the default data set."""
    judging = functools.partial(in_jail, workers=2)
    return build(mutants(SNIPPETS, 2, 1), instructions("ru"), judging)


def mbpp(folder: Path, *changes: dict[str, Any]) -> Path:
    return jsonl(folder / "mbpp.jsonl", *({**ROW, **change} for change in changes))


def fenced(code: str) -> str:
    return f"```python\n{code}```"


def linteval(*arguments: object) -> str:
    """Run `coral linteval ...` in this process; a user's error stays an exception."""
    command = ["linteval", *map(str, arguments)]
    done = CliRunner().invoke(cli.app, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the record with one field set, or taken away for the value `...`."""
    record = json.loads(json.dumps(RECORD))
    *parents, last = path.split(".")
    place = functools.reduce(lambda content, key: content[key], parents, record)
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return record
