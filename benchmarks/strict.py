"""What the strict score of CodeLinterEval lets through, on the programs of an MBPP file.

    python -m benchmarks.strict mbpp.jsonl [--mutants N] [--show]

Items are built from the file as ``linteval.source=mbpp`` builds them. Three answers to an item are
scored: its canonical code, which is to pass; the canonical code with one edit of
`coral_batch.corpus.injection`, the first that flake8 says nothing of, for `--mutants` items that
are evenly spread; and the unchanged code in a string that `exec` runs. Some of the edits change
nothing that the program does: they are not to fail.
"""

from __future__ import annotations

import argparse
from collections import Counter
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks.table import ROOT
from coral_batch.corpus.injection.candidates import candidates
from coral_batch.lake import params
from coral_batch.linteval.items.build import build
from coral_batch.linteval.items.item import spread
from coral_batch.linteval.items.mbpp import read_mbpp
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.linteval.scores.tables import Rows, lint_codes, score_samples
from coral_batch.records.configuration import Knobs
from coral_batch.records.items import DataSet, Item
from coral_batch.records.problem import Problem
from coral_batch.records.rows import BASE, LintSampleRow
from coral_batch.verdicts.layers import isolation
from coral_batch.verdicts.pool import judge

_EDITS = 20  # looked at of each program, for one that flake8 says nothing of


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", type=Path, help="mbpp.jsonl")
    parser.add_argument("--mutants", type=int, default=190, metavar="N")
    parser.add_argument("--show", action="store_true", help="print the mutants that pass")
    arguments = parser.parse_args()
    settings = params.load(ROOT / "params.yaml").verdicts
    in_jail = partial(judge, settings=settings)
    read, dropped = read_mbpp(arguments.file)
    made = build(read, PROMPTS["en"], in_jail, dropped=dropped)
    mutants = _mutants(made, arguments.mutants)
    answers = {
        "canonical": [(item, item.meta.canonical_code) for item in made.items],
        "one edit": mutants,
        "exec": [(item, _hidden(item.inputs.code)) for item in made.items],
    }
    layers = "+".join(isolation(settings.require).layers)
    for name, chosen in answers.items():
        samples = [_sample(item, code) for item, code in chosen]
        rows = score_samples(samples, made.items, made.tests, in_jail, layers, None).scores
        _print(name, rows)
        if name == "one edit" and arguments.show:
            for (item, code), row in zip(chosen, rows, strict=True):
                if row["strict"]:
                    print(item.meta.canonical_code, code, sep="\n---\n", end="\n======\n")


def _mutants(made: DataSet, count: int) -> list[tuple[Item, str]]:
    """Return items and their canonical code with an edit that flake8 says nothing of."""
    edits = [list(islice(_edits(item), _EDITS)) for item in made.items]
    _, found = lint_codes([code for of_item in edits for code in of_item], None)
    silent = iter(not findings for findings in found)
    first = {
        item.meta.id: next((code for code, is_silent in pairs if is_silent), None)
        for item, pairs in (
            (item, [(code, next(silent)) for code in of_item])
            for item, of_item in zip(made.items, edits, strict=True)
        )
    }
    edited = [item for item in made.items if first[item.meta.id] is not None]
    return [(item, first[item.meta.id] or "") for item in spread(edited, count)]


def _edits(item: Item) -> list[str]:
    code = item.meta.canonical_code
    problem = Problem(str(item.meta.id), "-", None, code, "", (), None, {}, "-", "-")
    return [one.code for one in islice(candidates(problem, seed=1), _EDITS)]


def _hidden(code: str) -> str:
    """Return code that runs `code`, in lines that flake8 says nothing of."""
    parts = [code[at : at + 15] for at in range(0, len(code), 15)]
    return "exec(\n" + "".join(f"    {part!r}\n" for part in parts) + ")\n"


def _sample(item: Item, code: str) -> LintSampleRow:
    knobs = Knobs(0.6, 1.0, 50, 1.0)
    return LintSampleRow(item.meta.id, 0, BASE, None, 0, knobs, "-", code, code, 1, 1, "eos")


def _print(name: str, rows: Rows) -> None:
    by_tests = sum(row["outcome"] == "clean" and row["tests"] is True for row in rows)
    passed = sum(row["strict"] is True for row in rows)
    print(
        f"{name}: {len(rows)} answers, {passed} pass strict ({passed / len(rows):.1%}); "
        f"clean with all tests passed: {by_tests} ({by_tests / len(rows):.1%})"
    )
    for decision, number in sorted(Counter(row["strict_by"] for row in rows).items()):
        print(f"  {decision}: {number}")


if __name__ == "__main__":
    main()
