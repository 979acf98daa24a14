"""`coral linteval show`, `run`, `score` and `export`: CodeLinterEval's commands besides stages."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import polars as pl
import typer

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.atomic import check_free, writing
from coral_batch.linteval.answers.extraction import until
from coral_batch.linteval.items.item import fill, with_outputs
from coral_batch.linteval.report.text import answer_text, overview
from coral_batch.records.configuration import knobs_at
from coral_batch.records.items import Item, ItemTests
from coral_batch.records.rows import BASE, LintSampleRow, SubjectRow
from coral_batch.records.settings import Params
from stages.arguments import LintModel


def show(
    model: LintModel,
    item: Annotated[
        int | None, typer.Argument(metavar="ITEM", help="Id of an item; without it, all items.")
    ] = None,
) -> None:
    """Show a model's scores by item, or its answers to one item."""
    _check_asked(model)
    scores = lake.read_frame("linteval_scores", model)
    if item is None:
        print(overview(scores, lake.read_frame("linteval_changes", model)))
        return
    items = {row.meta.id: row for row in lake.read_rows("linteval_items", Item)}
    if item not in scores["item"] or item not in items:
        raise CoralError(
            "the model has no answers to this item",
            file=lake.path("linteval_scores", model),
            found=item,
            expected=f"an id that `coral linteval show {model}` lists",
        )
    samples = lake.read_rows("linteval_samples", LintSampleRow, model)
    of_item = pl.col("item") == item
    print(
        answer_text(
            items[item],
            [sample for sample in samples if sample.item == item],
            scores.filter(of_item),
            lake.read_frame("linteval_findings", model).filter(of_item),
            lake.read_frame("linteval_verdicts", model).filter(of_item),
        )
    )


def _check_asked(model: str) -> None:
    """Check that a genome's answers, which no stage makes, are of this run's genome and items.

    Raises:
        CoralError: its adapter is another one now, or an item is.
    """
    part, genome = lake.lint_subject(model)
    if genome is None:
        return
    answers = lake.read_rows("linteval_samples", LintSampleRow, model)
    subjects = lake.read_rows("subjects", SubjectRow, part)
    key = lake.find(subjects, lake.path("subjects", part), genome=genome).key
    items = {row.meta.id: row for row in lake.read_rows("linteval_items", Item)}
    for row in answers:
        item = items.get(row.item)
        asked = item is not None and fill(item.instruction, item.inputs) in row.prompt
        if row.adapter != key or not asked:
            raise CoralError(
                "the answers are of another run",
                file=lake.path("linteval_samples", model),
                field=f"item {row.item}",
                found=f"another {'adapter' if asked else 'item'}",
                action=f"run `coral linteval samples {model}`, then "
                f"`coral linteval scores {model}`",
            )


Items = Annotated[
    Path,
    typer.Argument(
        metavar="ITEMS",
        help="The items: lake/linteval/items.jsonl, with its tests next to it, or a data set in"
        " CodeLinterEval's format.",
    ),
]
Results = Annotated[
    Path | None, typer.Option("--json", help="A JSON file to write the results to as well.")
]


def run(
    items: Items,
    answers: Annotated[
        Path, typer.Argument(metavar="ANSWERS", help="The JSONL file of raw answers to write.")
    ],
    model: Annotated[
        str,
        typer.Option(
            help="The model: base (that of the lake), a built-in name, a Hugging Face id,"
            " or a folder."
        ),
    ] = BASE,
    adapter: Annotated[
        Path | None, typer.Option(help="A PEFT folder with an adapter to put on the model.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Commit of a Hugging Face id.")] = None,
    file: Results = None,
) -> None:
    """Let any model answer all items, and score the answers."""
    from coral_batch.linteval.submissions.reading import read_items
    from coral_batch.verdicts import pool

    settings = params.load()
    check_free(answers, file)
    _check_names([answers.stem], 1, "ANSWERS")
    asked, tests = read_items(items)
    if any(one.function for one in tests):
        pool.isolation_text(settings)  # a missing layer is said before hours of answering
    drawn = _drawn(asked, model, adapter, revision, settings)
    _score_and_print({answers.stem: drawn}, asked, tests, settings.linteval.stop, settings, file)
    # Last, since the file's existence refuses a repetition, which resumes an interrupted command.
    lines = [json.dumps({"id": item, "answers": raw}) + "\n" for item, raw in drawn.items()]
    lake.write_text(answers, "".join(lines))


@contextmanager
def _scratch() -> Iterator[Path]:
    """Make a temporary folder in the project for a base model."""
    place = lake.STORE.parent
    with writing(place):
        place.mkdir(exist_ok=True)
        for left in place.glob("base-*"):  # gigabytes, if a run was killed
            with suppress(BlockingIOError), _locked(left, fcntl.LOCK_EX | fcntl.LOCK_NB):
                shutil.rmtree(left)
        folder = TemporaryDirectory(prefix="base-", dir=place)
    with folder, _locked(Path(folder.name), fcntl.LOCK_SH):
        yield Path(folder.name)


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    """Hold a lock on a folder, which other processes, also of other machines, see."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)


def _drawn(
    items: Sequence[Item], model: str, adapter: Path | None, revision: str | None, settings: Params
) -> dict[int, list[str]]:
    """Return item -> raw answers of a model."""
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.linteval.answers.tables import answer
    from coral_batch.models.base.catalogue import CATALOGUE
    from coral_batch.models.base.checkpoint import materialise, origin_of, read_card
    from coral_batch.repair.models import Adapter, check_peft_folder, read_peft_folder

    if model != BASE and origin_of(model) is None:
        raise CoralError(
            "no such model",
            field="--model",
            found=model,
            expected=f"{BASE}, {', '.join(CATALOGUE)}, a Hugging Face id or an existing folder",
        )
    if revision is not None and (model == BASE or origin_of(model) != "hub"):
        raise CoralError(
            "--revision needs a Hugging Face id as --model",
            field="--revision",
            found=f"{revision} of {model}",
            action="change --model, or drop --revision",
        )
    if adapter is not None:
        check_peft_folder(adapter)  # before a download
    with _scratch() as scratch:
        base = lake.path("base")
        if model != BASE:
            base = scratch / "base"
            materialise(model, revision, base, lake.DOWNLOADS)
        put = Adapter()
        if adapter is not None:
            put = read_peft_folder(adapter, read_card(base).sha256)
        # The engine makes room for the greatest rank of params.yaml, which an adapter may exceed.
        ranks = replace(settings.candidates, r=(*settings.candidates.r, put.rank))
        subject = put.subject(model, knobs_at(settings.linteval.temperature))
        rows, _ = answer(subject, items, base, replace(settings, candidates=ranks))
    return _raw(rows)


def score(
    items: Items,
    answers: Annotated[
        list[Path],
        typer.Argument(
            metavar="ANSWERS",
            help="Raw answers, one file per model: JSONL, or a submission to the board.",
        ),
    ],
    name: Annotated[
        list[str] | None,
        typer.Option(help="A model's name, once per file; without it, the file's name."),
    ] = None,
    stop: Annotated[
        str | None,
        typer.Option(help="Text at which an answer ends; the published task's is an empty line."),
    ] = None,
    file: Results = None,
) -> None:
    """Score and compare answers of any models and of simple baselines."""
    from coral_batch.linteval.submissions.reading import read_answers, read_items

    if stop == "":
        raise CoralError("--stop is empty", field="--stop", found=stop, expected="a text")
    names = name or [path.stem for path in answers]
    _check_names(names, len(answers), "--name")
    asked, tests = read_items(items)
    given = {model: read_answers(path, asked) for model, path in zip(names, answers, strict=True)}
    _score_and_print(given, asked, tests, stop, params.load(), file)


def _score_and_print(
    given: Mapping[str, Mapping[int, Sequence[str]]],
    asked: Sequence[Item],
    tests: Sequence[ItemTests],
    stop: str | None,
    settings: Params,
    file: Path | None,
) -> None:
    """Score answers by model and item, print the tables and write them to `file`."""
    check_free(file)
    # Imported here: joblib and the linters are not needed by --help.
    from coral_batch.linteval.submissions.standings import baselines, side_by_side, standings
    from coral_batch.verdicts import pool

    workers = settings.compute.workers
    plain = baselines(asked, workers)
    found = standings(
        {**given, **plain},
        asked,
        tests,
        stop,
        pool.judge_of(settings),
        workers,
    )
    print(side_by_side(found))
    if file is not None:
        _write({"stop": stop, "models": lake.plain(found)}, file)


def _check_names(names: Sequence[str], count: int, field: str) -> None:
    """Check that there are `count` distinct names, none of them a baseline's."""
    from coral_batch.linteval.submissions.standings import NAMES

    distinct = {*names} - {*NAMES}
    if len(names) != count or len(distinct) != count:
        raise CoralError(
            "every model needs a unique name",
            field=field,
            found=", ".join(names),
            expected=f"{count} distinct names, one per file in order (default: the files' names),"
            f" not {', '.join(NAMES)}",
        )


def export(
    model: LintModel,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The JSON file to write; without it, standard output."),
    ] = None,
    *,
    items: Annotated[
        bool,
        typer.Option(
            "--items",
            help="Write the answered items instead, `outputs` being 1 for success and 0 for"
            " failure; their tests go into tests.jsonl next to the file.",
        ),
    ] = False,
) -> None:
    """Write a model's answers, up to linteval.stop, as the board of MERA Code takes them."""
    from coral_batch.linteval.submissions.reading import tests_file

    check_free(file)
    tests = tests_file(file) if items and file is not None else None
    if tests is not None and tests.resolve() == lake.path("linteval_tests").resolve():
        tests = None  # it has the tests of all items
    check_free(file, tests)
    _check_asked(model)
    if items:
        scores = lake.read_frame("linteval_scores", model)
        rows = lake.read_rows("linteval_items", Item)
        scored = with_outputs(rows, scores.select("item", "official").rows())
        if tests is not None:
            asked = {item.meta.id for item in scored}
            of_items = [
                one for one in lake.read_rows("linteval_tests", ItemTests) if one.id in asked
            ]
            lake.write_text(tests, "".join(json.dumps(lake.plain(one)) + "\n" for one in of_items))
        _write([asdict(item) for item in scored], file)
        return
    answers = _raw(lake.read_rows("linteval_samples", LintSampleRow, model))
    stop = params.load().linteval.stop
    # A nested list: the submission script writes a list of answers per request.
    test = [
        {"outputs": [[until(stop, text) for text in raw]], "meta": {"id": item}}
        for item, raw in answers.items()
    ]
    _write({"data": {"test": test}}, file)


def _raw(rows: Sequence[LintSampleRow]) -> dict[int, list[str]]:
    """Return item -> raw answers."""
    found: dict[int, list[str]] = {}
    for row in rows:
        found.setdefault(row.item, []).append(row.raw)
    return found


def _write(content: Any, file: Path | None) -> None:
    """Write JSON as UTF-8 to a file, or to standard output for None."""
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    if file is None:
        typer.echo(text.encode(), nl=False)
    else:
        lake.write_text(file, text)
