"""`coral repair`: repair your own functions until their tests pass."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from coral_batch.errors import UNTRIED, CoralError
from coral_batch.repair.folders import Untried, repair_folder
from coral_batch.repair.released import default_model
from coral_batch.repair.repairing import Repair
from coral_batch.repair.repairing import repair as search
from coral_batch.repair.tests import Failure
from coral_batch.report.views import diff_text
from coral_batch.work.text import escape, inline, table


def _named(text: str | None) -> str | None:
    """Refuse an empty text, e.g. of an unset shell variable: as a path it is the current folder.

    Raises:
        CoralError: it is empty.
    """
    if text == "":
        raise CoralError(
            "a path or a name is empty",
            field="FILE, --tests or --model",
            expected="a non-empty text",
        )
    return text


def _path(text: str) -> Path:
    _named(text)
    return Path(text)


def repair(
    file: Annotated[
        Path,
        typer.Argument(
            parser=_path,
            metavar="FILE",
            help="The Python file with the function, or a folder of files with tests.",
        ),
    ],
    function: Annotated[
        str | None,
        typer.Option(
            help="The function, or Class.method; not needed if the failing tests call only one."
        ),
    ] = None,
    tests: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="Tests for pytest, a file or a folder; or JSON cases (.json, .jsonl), one "
            "`[inputs, expected]` per line. Without it: the examples in FILE's docstrings; of a "
            "folder, the tests in it.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            callback=_named,
            help="`best` for the run's best genome, `released` for the adapter in the repository, "
            "`base` for the base model, a genome such as 001-01, or a PEFT folder. Without it: "
            "`best`, or `released` if the run has no best genome.",
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option("-n", "--samples", min=1, help="Changes to try per round.")
    ] = 16,
    rounds: Annotated[
        int,
        typer.Option(min=1, help="Rounds; from the second on, the model sees a failing test."),
    ] = 2,
    replace: Annotated[bool, typer.Option("--write", help="Write the repair to FILE.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Repair a function of your own file until its tests pass.

    Tries the likeliest changes of the function's lines in the jail, and shows the first one that
    passes all tests as a diff. FILE stays as it is without --write. The exit status is 0 for a
    repair or nothing to repair, 1 when no change passed, 2 when it could not be tried.

    For a folder, it tries every function that fails its tests and ends with a table; --json prints
    a record per line. The exit status is 1 if a function was not repaired, else 2 if one could not
    be tried, else 0.

    Example: coral repair examples/text.py --tests examples/test_text.py
    """
    model = model or default_model()
    options: Any = {"model": model, "samples": samples, "rounds": rounds}
    tried: list[Repair | Untried] = []
    if os.path.isdir(file):  # noqa: PTH112 (Path.is_dir raises for a path that cannot be)
        if function is not None:
            raise CoralError(
                "--function needs a file, not a folder",
                field="--function",
                found=function,
                action=f"give its file: `coral repair FILE --function {function}`",
            )
        for one in repair_folder(file, tests, write=replace, **options):
            tried.append(one)
            show(one, model, replace, as_json)
        if not as_json:
            print(f"\n{summary(tried)}")
    else:
        found = search(file, tests, function, **options)
        if replace and found.outcome == "repaired":
            try:
                found.write()
            except CoralError:
                show(found, model, False, as_json)
                raise
        tried.append(found)
        show(found, model, replace, as_json)
    if any(isinstance(one, Repair) and one.outcome == "not repaired" for one in tried):
        raise typer.Exit(1)
    if any(isinstance(one, Untried) for one in tried):
        raise typer.Exit(UNTRIED)


def show(found: Repair | Untried, model: str, written: bool, as_json: bool) -> None:
    """Print the result for a function, as JSON or as text.

    Args:
        found: the result.
        model: the model that was used.
        written: whether repairs are written.
        as_json: print JSON.
    """
    if as_json:
        print(json.dumps(record(found, model, written)), flush=True)
    elif isinstance(found, Untried):
        what = f"{found.file}{found.function and f', {found.function}'}"
        print(f"{escape(what)} could not be tried: {escape(found.reason)}", flush=True)
    else:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        print(repair_text(found, written, colour), flush=True)


def summary(tried: Sequence[Repair | Untried]) -> str:
    """Return a table of the results for a folder.

    Args:
        tried: the results.
    """
    rows = []
    for one in tried:
        if isinstance(one, Untried):
            cells = (str(one.file), one.function, "not tried", "", "")
        else:
            passed = [str(one.tests - len(failed)) for failed in (one.failed, one.left)]
            cells = (
                str(one.source.file),
                one.function,
                one.outcome,
                f"{passed[0]} -> {passed[1]} of {one.tests}",
                str(one.drawn),
            )
        rows.append(tuple(map(escape, cells)))
    header = ("file", "function", "outcome", "tests passed", "changes tried")
    return table(header, rows, left=header[:3])


def record(found: Repair | Untried, model: str, written: bool) -> dict[str, object]:
    """Return what `--json` prints.

    Args:
        found: the result.
        model: the model that was used.
        written: whether repairs are written.
    """
    if isinstance(found, Untried):
        return {
            "file": str(found.file),
            "function": found.function,
            "outcome": "not tried",
            "reason": found.reason,
        }
    repaired = found.outcome == "repaired"
    return {
        "file": str(found.source.file),
        "function": found.function,
        "model": model,
        "outcome": found.outcome,
        "tests": found.tests,
        "failed_before": list(map(_recorded, found.failed)),
        "failed_after": list(map(_recorded, found.left)),
        "rounds": found.rounds,
        "drawn": found.drawn,
        "diff": found.diff if repaired else None,
        "code": found.best.text if repaired else None,
        "written": written and repaired,
    }


def _recorded(failure: Failure) -> dict[str, object]:
    names = ("test", "expected", "kind", "got")
    return {name: getattr(failure, name) for name in names} | {"functions": sorted(failure.called)}


def repair_text(found: Repair, written: bool, colour: bool) -> str:
    """Return a result as text.

    Args:
        found: the result.
        written: whether repairs are written.
        colour: whether to colour the diff.
    """
    file = escape(str(found.source.file))
    if found.outcome == "nothing to repair":
        return f"nothing to repair: {file} passes its {_count(found.tests, 'test')}"
    lines = [f"{file} failed {len(found.failed)} of {_count(found.tests, 'test')}:"]
    lines += [f"  {_failure(one)}" for one in found.failed]
    tried = f"{_count(found.drawn, 'change')} in {_count(found.rounds, 'round')}"
    if found.outcome == "not repaired":
        left = f"{len(found.left)} of {_count(found.tests, 'test')}"
        closest = f"the best attempt fails {left}" if found.diff else "none fails fewer tests"
        return "\n".join([*lines, "", f"{found.function} is not repaired after {tried}; {closest}"])
    lines += ["", diff_text(escape(found.diff).split("\n"), colour), ""]
    verb = "passes" if found.tests == 1 else "pass"
    passed = f"{found.tests - len(found.left)} of {_count(found.tests, 'test')} {verb}"
    lines.append(f"{found.function} is repaired after {tried}: {passed}")
    if found.left:
        lines.append("still failing, because of other functions:")
        lines += [f"  {_failure(one)}" for one in found.left]
    lines.append(f"written to {file}" if written else f"{file} is unchanged: --write replaces it")
    return "\n".join(lines)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def _failure(failure: Failure) -> str:
    expected = "" if failure.expected is None else f"expected {inline(failure.expected, 80)}, "
    return f"{inline(failure.test, 160)}: {expected}{inline(failure.got, 160)}"
