"""What several genomes ask for together, and what of it comes from the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Literal

import pytest
import torch

from coral_batch.corpus.sources.rows import make_problem
from coral_batch.lake import params
from coral_batch.lake.store import Store
from coral_batch.models.base.checkpoint import load_tokenizer
from coral_batch.models.decoding import drawing
from coral_batch.models.decoding.answer import Drawn
from coral_batch.models.decoding.changes import Original
from coral_batch.models.decoding.drawing import KIND, Drawing, Work, draw, draw_in_turn
from coral_batch.models.prompts.prompt import chat_prompt
from coral_batch.models.repairs.tables import sample
from coral_batch.records.configuration import Knobs
from coral_batch.records.rows import DurationRow, SubjectRow
from tests import REPOSITORY

KNOBS, GREEDY = Knobs(0.9, 0.95, 40, 1.0), Knobs(0.0, 1.0, 1, 1.0)


@pytest.fixture(scope="module")
def base(materialised: Path) -> Path:
    return materialised


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def two_threads() -> Iterator[int]:
    """The number, which drawing sets; the tests after this one get theirs back."""
    yield 2
    torch.set_num_threads(1)


def test_on_two_threads_a_sample_is_the_same_whatever_its_company(
    base: Path, store: Store, two_threads: int
) -> None:
    prompts = {"one": "Fix it.", "two": "Write a function that adds one to each value."}
    work = Work("a", None, KNOBS, prompts)
    alone = replace(work, prompts={"two": prompts["two"]})
    warmer = replace(work, name="b", knobs=replace(KNOBS, temperature=1.5))
    drawing = Drawing(3, 16, 1, 4, two_threads)
    (together, _), _ = draw([work, warmer], drawing, base, "genomes", store)
    (one,), _ = draw([alone], drawing, base, "genomes", store)
    assert torch.get_num_threads() == two_threads
    assert [sample for sample in together.samples if sample.problem == "two"] == [*one.samples]


def test_answers_come_in_the_order_of_the_prompts_drawn_now_or_before(
    base: Path, store: Store
) -> None:
    tokenizer = load_tokenizer(base)
    originals = {name: Original(f"def {name}():\n    return 1") for name in ("one", "two")}
    prompts = {name: chat_prompt(tokenizer, originals[name].program) for name in originals}
    turned = dict(reversed(prompts.items()))
    works = [Work("a", None, KNOBS, asked, originals) for asked in (prompts, turned)]
    for work in (*works, works[0]):
        ((drawn,), _) = draw([work], Drawing(2, 8, 1, 4, None), base, "genomes", store)
        assert [sample.problem for sample in drawn.samples[::2]] == list(work.prompts)
        assert [look.problem for look in drawn.looks] == list(work.prompts)


def test_pieces_that_ask_the_same_of_the_same_code_are_drawn_once(
    base: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    knobs = {"a": KNOBS, "b": GREEDY, "c": KNOBS}
    works = [Work(name, None, one, {"one": "Fix it."}) for name, one in knobs.items()]
    answers, durations = draw(works, Drawing(2, 8, 1, 4, None), base, "genomes", store)
    assert answers[0] == answers[2] != answers[1]
    assert [row.unit for row in durations] == ["a", "b", "c"]
    assert [row.reused for row in durations] == [False, False, True]
    assert durations[2].seconds == 0
    assert len([*(store.root / KIND).rglob("samples.json")]) == 2
    again, durations = draw(works, Drawing(2, 8, 1, 4, None), base, "genomes", store)
    assert again == answers and all(row.reused for row in durations)
    monkeypatch.setattr(drawing, "code_sha256", lambda _: "0" * 64)
    _, (row,) = draw(works[:1], Drawing(2, 8, 1, 4, None), base, "genomes", store)
    assert not row.reused
    two = (torch.device("cpu"), torch.device("cpu", 0))
    monkeypatch.setattr(drawing, "devices", lambda: two)
    monkeypatch.setattr(drawing, "code_sha256", lambda _: "1" * 64)
    assert draw(works, Drawing(2, 8, 1, 4, None), base, "genomes", store)[0] == answers


@pytest.mark.parametrize(("change", "read"), [("free", []), ("required", ["gcd"])])
def test_only_repairs_that_must_change_the_program_are_read(
    base: Path,
    change: Literal["free", "required"],
    read: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = params.load(REPOSITORY / "params.yaml")
    settings = replace(settings, sampling=replace(settings.sampling, change=change))
    asked: list[Work] = []

    def note(works: list[Work], *_: object) -> tuple[list[Drawn], list[DurationRow]]:
        asked.extend(works)
        return [Drawn([], [])], []

    bugs = [make_problem(name, name, "x = 1\n", buggy="x = 2\n") for name in ("wrap", "gcd")]
    subject = SubjectRow("base", None, None, {}, GREEDY)
    monkeypatch.setattr(drawing, "draw", note)
    sample([subject], bugs[:1], bugs[1:], 1, base, settings)
    assert [*asked[0].read] == read
    assert {*asked[0].prompts} == {"wrap", *read}


def changing(base: Path, knobs: Knobs) -> Work:
    """Return a piece of work whose answers must change a program."""
    prompt = chat_prompt(load_tokenizer(base), "Fix it.")
    return Work("a", None, knobs, {"one": prompt}, {"one": Original("x = 1\ny = 2\n")})


def test_answers_come_in_turn_and_what_nobody_asks_for_is_not_drawn(
    base: Path, store: Store
) -> None:
    work = changing(base, KNOBS)
    drawing = Drawing(6, 24, 1, 4, None)
    with closing(draw_in_turn(work, drawing, base, store)) as answers:
        first = [next(answers), next(answers)]
    assert [*(store.root / KIND).rglob("samples.json")] == []
    other = Store(store.root.parent / "other")
    with closing(draw_in_turn(work, drawing, base, other)) as answers:
        taken = [*islice(answers, drawing.samples)]  # all, without asking whether there are more
    assert len([*(other.root / KIND).rglob("samples.json")]) == 1
    whole = [*draw_in_turn(work, drawing, base, store)]
    assert taken == whole
    assert whole[:2] == first and [one.index for one in whole] == [*range(6)]
    kept = [*(store.root / KIND).rglob("samples.json")]
    assert [*draw_in_turn(work, drawing, base, store)] == whole
    ((drawn,), (duration,)) = draw([work], drawing, base, "prompts", store)
    assert (drawn.samples, len(drawn.looks), duration.reused) == (whole, 1, True)
    assert [*(store.root / KIND).rglob("samples.json")] == kept != []
