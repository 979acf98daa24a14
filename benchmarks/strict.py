"""Measure what CodeLinterEval's strict score accepts, on the programs of an MBPP file.

    python -m benchmarks.strict mbpp.jsonl

Items are built as with ``linteval.source=mbpp``. Three answers to each are scored, with the item's
tests and with only the syntax tree:

- the canonical code, which should pass;
- the canonical code with one edit of `coral_batch.corpus.injection`, the first that flake8 accepts,
  for 190 evenly spread items; some edits do not change the program's behaviour;
- the unchanged code in a string that `exec` runs.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks.table import ROOT
from coral_batch.corpus.injection.candidates import candidates
from coral_batch.lake import params
from coral_batch.linteval.items.build import build
from coral_batch.linteval.items.item import instructions, spread
from coral_batch.linteval.items.sources import read_mbpp
from coral_batch.linteval.scores.tables import lint_codes, score_samples
from coral_batch.records.items import Answer, Item
from coral_batch.records.problem import Problem
from coral_batch.verdicts.pool import judge

_EDITS = 20  # maximum edits tried per program, to find one that flake8 accepts
_MUTANTS = 190


def main() -> None:
    """Run from the command line."""
    settings = params.load(ROOT / "params.yaml").verdicts
    in_jail = partial(judge, settings=settings)
    read, dropped = read_mbpp(Path(sys.argv[1]))
    made = build(read, instructions("en"), in_jail, dropped=dropped)
    untested = [replace(one, function=None, cases=(), tests=None) for one in made.tests]
    answers = {
        "canonical": [(item, item.meta.canonical_code) for item in made.items],
        "one edit": _mutants(made.items),
        "exec": [(item, _hidden(item.inputs.code)) for item in made.items],
    }
    for name, chosen in answers.items():
        samples = [Answer(name, item.meta.id, 0, code) for item, code in chosen]
        for by, tests in (("tests", made.tests), ("syntax", untested)):
            rows = score_samples(samples, made.items, tests, in_jail, "", None)["linteval_scores"]
            passed = sum(row["strict"] for row in rows)
            print(f"{name} by {by}: {passed} of {len(rows)} pass ({passed / len(rows):.1%})")


def _mutants(items: tuple[Item, ...]) -> list[tuple[Item, str]]:
    """Return items with their canonical code after an edit that flake8 accepts."""
    edits = [(item, code) for item in items for code in _edits(item)]
    _, found = lint_codes([code for _, code in edits], None)
    first: dict[int, tuple[Item, str]] = {}
    for (item, code), findings in zip(edits, found, strict=True):
        if not findings:
            first.setdefault(item.meta.id, (item, code))
    return [first[item.meta.id] for item in spread([item for item, _ in first.values()], _MUTANTS)]


def _edits(item: Item) -> list[str]:
    code = item.meta.canonical_code
    problem = Problem(str(item.meta.id), "-", None, code, "", (), None, {}, "-", "-")
    return [one.code for one in islice(candidates(problem, seed=1), _EDITS)]


def _hidden(code: str) -> str:
    """Return code that runs `code` by `exec`, in lines that flake8 accepts."""
    parts = [code[at : at + 15] for at in range(0, len(code), 15)]
    return "exec(\n" + "".join(f"    {part!r}\n" for part in parts) + ")\n"


if __name__ == "__main__":
    main()
