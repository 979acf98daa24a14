"""Answers that must change a program are drawn from the model's own distribution, given that."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer

from coral_batch.errors import CoralError
from coral_batch.models.decoding.answer import Unit
from coral_batch.models.decoding.changes import (
    ATTEMPTS,
    CLOSING,
    Copy,
    Dull,
    FirstChanges,
    Original,
    copy_of,
    first_look,
    is_copy,
)
from coral_batch.models.prompts.prompt import FENCE, chat_prompt
from coral_batch.models.prompts.tokens import continuation
from coral_batch.records.configuration import Knobs
from tests.answers import (
    GREEDY,
    HOT,
    ORIGINALS,
    PROGRAM,
    REFERENCE,
    TEXTS,
    WARM,
    draw,
    open_engine,
    run,
    transformers_probabilities,
)
from tests.tiny import make_tiny_base, make_tiny_completion_base, make_tiny_tokenizer

PROMPTS = {name: TEXTS[name] for name in ("short", "long")}
SHORT = {"short": TEXTS["short"]}


class Peer:
    """The tiny model read by transformers alone, from scratch for every token."""

    def __init__(self, base: Path) -> None:
        self.model = AutoModelForCausalLM.from_pretrained(base)
        self.tokenizer = AutoTokenizer.from_pretrained(base)

    def prompt(self, name: str) -> list[int]:
        text = chat_prompt(self.tokenizer, PROMPTS[name])
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    @torch.inference_mode()
    def probabilities(self, ids: list[int], knobs: Knobs | None = None) -> torch.Tensor:
        """Return the next token's distribution; without knobs, at temperature 1."""
        logits = self.model(torch.tensor([ids])).logits[0, -1]
        if knobs is not None:
            return transformers_probabilities(logits, knobs, ids)
        return torch.softmax(logits.double(), 0)

    def greedy(self, ids: list[int], count: int) -> list[int]:
        output = self.model.generate(torch.tensor([ids]), max_new_tokens=count, do_sample=False)
        return output[0, len(ids) :].tolist()

    def decode(self, tokens: list[int]) -> str:
        return self.tokenizer.decode(tokens, skip_special_tokens=True)

    def copied(self, name: str, program: str) -> tuple[int, ...]:
        text = chat_prompt(self.tokenizer, PROMPTS[name])
        return copy_of(self.tokenizer, text, Original(program)).tokens


def enumerate_answers(peer: Peer, name: str, knobs: Knobs, length: int) -> dict[tuple, float]:
    """Return every answer of at most `length` tokens with its probability."""
    ends = {peer.tokenizer.eos_token_id, peer.model.generation_config.eos_token_id}
    found: dict[tuple, float] = {}
    open_ = {(): 1.0}
    while open_:
        tokens, weight = open_.popitem()
        if tokens and (
            len(tokens) == length or tokens[-1] in ends or "```" in peer.decode(list(tokens))
        ):
            found[tokens] = weight
            continue
        row = peer.probabilities([*peer.prompt(name), *tokens], knobs)
        for token in row.nonzero()[:, 0].tolist():
            open_[*tokens, token] = weight * float(row[token])
    return found


def likely_copy(peer: Peer, name: str, answers: dict[tuple, float], length: int) -> tuple:
    """Return the likeliest answer that is the beginning of the copy of a program."""
    for tokens in sorted(answers, key=answers.__getitem__, reverse=True):
        copied = peer.copied(name, peer.decode(list(tokens)))
        if copied[:length] == tokens:
            return tokens
    raise AssertionError("no answer is a program")


@pytest.mark.parametrize(
    "knobs",
    [Knobs(0.8, 1.0, 3, 1.0), Knobs(1.0, 0.8, 5, 1.0), Knobs(0.7, 1.0, 3, 1.3)],
    ids=["top-k", "top-p", "penalty"],
)
def test_answers_have_the_distribution_of_those_that_are_no_copy(base: Path, knobs: Knobs) -> None:
    peer, length, count = Peer(base), 3, 2000
    answers = {name: enumerate_answers(peer, name, knobs, length) for name in PROMPTS}
    likely = {name: likely_copy(peer, name, of_name, length) for name, of_name in answers.items()}
    originals = {name: Original(peer.decode(list(tokens))) for name, tokens in likely.items()}
    engine = open_engine(base, rows=32)
    drawn = draw(engine, None, knobs, PROMPTS, originals, samples=count, tokens=length)
    for name, found_by in answers.items():
        assert found_by.pop(likely[name]) > 0.02
        total = sum(found_by.values())
        expected: Counter[str] = Counter()
        for tokens, weight in found_by.items():
            expected[FENCE + peer.decode(list(tokens))] += weight / total * count
        found = Counter(one.text for one in drawn if one.problem == name)
        assert found.keys() <= expected.keys()
        common = [text for text, number in expected.items() if number >= 5]
        statistic = sum((found[text] - expected[text]) ** 2 / expected[text] for text in common)
        # Chi-square's mean is its degrees of freedom, its variance twice that: 5 sigma.
        assert len(common) > 5
        assert statistic < len(common) + 5 * np.sqrt(2 * len(common))


def moves(before: str, copied: str, blank: str) -> bool:
    """Whether a blank text indents a line differently, or ends it early."""
    line, (ends, *indentation) = before.rpartition("\n")[2], blank.split("\n")
    if not indentation:
        return not line.strip()
    one = len(indentation) == 1 and not ends and "\r" not in blank and bool(line.strip())
    return one and (bool(copied.strip()) or copied.rpartition("\n")[2] != indentation[0])


def test_a_greedy_change_may_move_a_line(base: Path) -> None:
    """So that a statement in the wrong block, or one that goes on too long, can be repaired."""
    tokenizer = AutoTokenizer.from_pretrained(base)
    text = "if a:\n    b = c + d\n"
    tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
    dull = Dull(tokenizer, len(tokenizer))
    texts = [tokenizer.decode([token]) for token in tokens]
    assert "".join(texts) == text
    found = {}
    for at, moving in enumerate(dull.moving(tokens)):
        found["".join(texts[:at])] = {tokenizer.decode([one]) for one in moving}
    assert "\n" in found["if a:\n    b = c"]
    assert not any("\n" in one for one in found["if a:\n"])
    assert any(one and not one.strip(" ") for one in found["if a:\n"])
    assert not any(one.strip("\n") == "" for one in found["if a:\n    b = c + d"])
    assert all(dull.tokens[tokenizer(" ", add_special_tokens=False)["input_ids"]])


def test_greedy_answers_begin_with_the_most_likely_changes_in_turn(base: Path) -> None:
    peer, length = Peer(base), 12
    engine = open_engine(base)
    originals = {"short": Original(PROGRAM)}
    drawn = draw(engine, None, GREEDY, SHORT, originals, samples=6, tokens=length)
    prompt = peer.prompt("short")
    copied = peer.copied("short", PROGRAM)[:length]
    changes, before = [], 0.0
    for at, token in enumerate(copied):
        row = peer.probabilities([*prompt, *copied[:at]]).log()
        changes += [
            (before + float(row[other]), at, other)
            for other in range(len(row))
            if other != token
            and (text := re.sub(r"^\s*`.*|`.*", "", peer.decode([other]), flags=re.DOTALL))
            and (
                text.lstrip().partition("#")[0]
                or (text.isspace() and moves(peer.decode(copied[:at]), peer.decode([token]), text))
            )
        ]
        before += float(row[token])
    for sample, (_, at, token) in zip(drawn, sorted(changes, reverse=True), strict=False):
        begun = [*copied[:at], token]
        rest = peer.greedy([*prompt, *begun], length - len(begun)) if len(begun) < length else []
        assert sample.copied == at
        assert sample.text == FENCE + peer.decode([*begun, *rest])
        assert sample.tokens == len(begun) + len(rest)


def test_what_is_only_read_is_looked_at_and_all_else_is_answered_as_without_it(base: Path) -> None:
    whole = Unit("all", None, WARM, TEXTS, ORIGINALS)
    some, none = (
        replace(whole, name=name, read=frozenset(read))
        for name, read in (("some", list(TEXTS)[1:]), ("none", TEXTS))
    )
    drawn = {one.name: run(open_engine(base), one)[one.name] for one in (whole, some, none)}
    assert drawn["some"].looks == drawn["none"].looks == drawn["all"].looks
    assert len(drawn["all"].looks) == len(TEXTS)
    answered = [one for one in drawn["all"].samples if one.problem not in some.read]
    assert drawn["some"].samples == answered
    assert drawn["none"].samples == []
    assert run(open_engine(base), some, none, whole) == {
        name: drawn[name] for name in ("some", "none", "all")
    }


def test_the_first_look_is_what_the_model_would_do(base: Path) -> None:
    peer = Peer(base)
    unit = Unit("genome", None, WARM, SHORT, ORIGINALS)
    (look,) = run(open_engine(base), unit, samples=1, tokens=200)["genome"].looks
    prompt = peer.prompt("short")
    copied = peer.tokenizer(PROGRAM + CLOSING)["input_ids"]
    wanted = peer.tokenizer(REFERENCE + CLOSING)["input_ids"]
    lines, unchanged, right, text = np.zeros(4), 1.0, None, ""
    for at, token in enumerate(copied):
        row = peer.probabilities([*prompt, *copied[:at]])
        lines[text.count("\n")] += unchanged * float(1 - row[token])
        if right is None and wanted[at] != token:
            right = unchanged * float(row[wanted[at]])
        unchanged *= float(row[token])
        text += peer.decode([token])
    assert look.problem == "short"
    assert look.line == 2
    assert look.unchanged == pytest.approx(unchanged, rel=1e-3)
    assert look.lines == pytest.approx(lines / (1 - unchanged), rel=1e-3)
    assert look.right == pytest.approx(right / (1 - unchanged), rel=1e-3)


def test_outputs_that_are_not_finite_are_refused() -> None:
    copy = copy_of(make_tiny_tokenizer(), FENCE, Original("x = 1", "x = 2"))
    logits = torch.full((len(copy.tokens), 512), torch.nan)
    with pytest.raises(CoralError, match="not finite"):
        first_look("problem", copy, logits)


@given(st.integers(0, 2**32 - 1))
def test_the_shares_of_a_look_are_shares_however_they_round(seed: int) -> None:
    copy = copy_of(make_tiny_tokenizer(), FENCE, Original("x = 1 + 2 + 3", "x = 2"))
    torch.manual_seed(seed)
    logits = torch.randn(len(copy.tokens), 512)
    for at, token in enumerate(copy.tokens):
        logits[at, token] += 100 if copy.lines[at] > 1 else 0  # nothing is put behind the line
    look, _ = first_look("problem", copy, logits)
    assert all(0 <= share <= 1 for share in (*look.lines, look.unchanged, look.right or 0))
    assert sum(look.lines) == pytest.approx(1)


@pytest.mark.parametrize("knobs", [GREEDY, WARM, HOT], ids=["greedy", "warm", "hot"])
@pytest.mark.parametrize("change", [False, True])
def test_an_answer_is_as_likely_as_transformers_finds_it(
    base: Path, knobs: Knobs, change: bool
) -> None:
    peer, engine = Peer(base), open_engine(base)
    # Of hot answers only short ones come out as the tokens that a tokenizer would make of them.
    tokens = 3 if knobs == HOT else 24
    originals = ORIGINALS if change else {}
    compared = 0
    for one in draw(engine, None, knobs, PROMPTS, originals, samples=40, tokens=tokens):
        prompt = chat_prompt(engine.tokenizer, PROMPTS[one.problem])
        read = peer.prompt(one.problem)
        answer = continuation(engine.tokenizer, prompt, one.text.removeprefix(FENCE))
        if len(answer) != one.tokens:  # other tokens can make the same text
            continue
        logits = peer.model(torch.tensor([[*read, *answer]])).logits[0, len(read) - 1 : -1]
        likely = logits.log_softmax(1)[range(len(answer)), answer].sum().item()
        assert one.log_probability == pytest.approx(likely, rel=1e-3)
        compared += 1
    assert compared


@pytest.mark.parametrize(
    ("program", "taught", "knobs", "samples", "tokens"),
    [
        # Whatever comes before any statement leaves this program as it is.
        ("# nothing", False, HOT, 200, 2),
        # A change of a comment changes nothing, whatever word it is made at: behind the change of
        # the answer before, one goes on from the prompt again, and before it from what is there.
        ("# a few words that say nothing", True, Knobs(1.5, 1.0, 600, 1.0), 20, 24),
    ],
    ids=["at once", "later"],
)
def test_answers_that_change_nothing_are_drawn_again(
    tmp_path: Path, program: str, taught: bool, knobs: Knobs, samples: int, tokens: int
) -> None:
    base = make_tiny_base(tmp_path)
    if taught:
        teach(base, program)
    originals = dict.fromkeys(PROMPTS, Original(program))
    drawn = draw(open_engine(base), None, knobs, PROMPTS, originals, samples=samples, tokens=tokens)
    redrawn = [one for one in drawn if one.redrawn]
    assert len({(one.problem, one.text) for one in redrawn}) > 1
    assert len({one.copied for one in redrawn}) > 2 or not taught
    for one in drawn:
        copied = is_copy(program, one.text.removeprefix(FENCE))
        assert not copied or one.redrawn == ATTEMPTS - 1


def test_a_repair_may_be_as_long_as_its_program_and_some_room(tmp_path: Path) -> None:
    """Most of its tokens are copied, however few may be drawn for other answers."""
    base = make_tiny_base(tmp_path / "base")
    teach(base, REFERENCE)
    engine = open_engine(base)
    roomy = dict.fromkeys(PROMPTS, Original(PROGRAM, REFERENCE, room=8))
    copied = Peer(base).copied("short", PROGRAM)
    for knobs in (WARM, GREEDY):
        drawn = draw(engine, None, knobs, PROMPTS, roomy, samples=3, tokens=3)
        assert FENCE + REFERENCE + CLOSING in {one.text for one in drawn}
        for one in drawn:
            assert one.tokens <= len(copied) + 8
            assert one.tokens == len(copied) + 8 or one.finish != "length"
        strict = draw(engine, None, knobs, PROMPTS, ORIGINALS, samples=3, tokens=3)
        assert {one.tokens for one in strict} == {3}


def teach(base: Path, program: str) -> None:
    """Train a tiny model to answer with a program, until an answer's words follow from it."""
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(base)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for text in [*PROMPTS.values()] * 40:
        prompt = chat_prompt(tokenizer, text)
        answer = continuation(tokenizer, prompt, f"{program}\n```")
        read = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        labels = torch.tensor([[*[-100] * len(read), *answer]])
        model(torch.tensor([[*read, *answer]]), labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(base)


ONE = "def f(x):\n    return x + 1"


@pytest.mark.parametrize(
    ("program", "answer", "same"),
    [
        *((ONE, f"{ONE}{behind}", True) for behind in ("", "\n```", "\n\n```", " # one")),
        (ONE, "def f(x):  # adds\n    return (x +  1)\n```", True),
        (ONE, 'def f(x):\n    """A"""\n    return x + 1\n\n"""\nA\n"""\n```\nAll.', True),
        *((ONE, f"def f(x):\n    return x +{other}", False) for other in ("", " 2")),
        *((ONE, answer, False) for answer in ("", f"{ONE}\nf(1)")),
        ("def f(:", "def f(:\n```", True),
        ("def f(:", "def g(:", False),
    ],
)
def test_a_copy_is_what_has_the_same_syntax_tree_or_text(
    program: str, answer: str, same: bool
) -> None:
    assert is_copy(program, answer) == same


@pytest.mark.parametrize(("temperature", "top_p"), [(0.2, 0.95), (0.01, 1.0)])
def test_changes_are_drawn_by_their_shares_however_unlikely_all_are(
    temperature: float, top_p: float
) -> None:
    """The copy is so much likelier that behind it the others are too small to add to 1."""
    tokens = tuple(range(20, 30))
    gaps = 8 + temperature * np.arange(10) / 4
    logits = torch.full((10, 64), -40.0)
    logits[range(10), tokens] = 10.0
    logits[:, 5] = 10.0 - torch.from_numpy(gaps).float()
    copy = Copy("x", tokens, (1,) * 10, None)
    _, stays = first_look("p", copy, logits)
    knobs = Knobs(temperature, top_p, 2, 1.0)
    changes = FirstChanges(copy, [1], logits, stays, knobs, None, 1)
    uniforms = (np.arange(4000) + 0.5) / 4000
    drawn = [changes.draw(0, uniform) for uniform in uniforms]
    assert {token for _, token, _ in drawn} == {5}
    shares = np.exp(-np.arange(10) / 4)
    found = np.bincount([place for place, _, _ in drawn], minlength=10) / 4000
    assert found == pytest.approx(shares / shares.sum(), abs=0.01)


def test_a_choice_that_leaves_only_the_copy_is_widened(base: Path) -> None:
    peer, length = Peer(base), 3
    narrow = Knobs(1.0, 1.0, 1, 1.0)  # draws nothing but the most likely token
    greedy = {name: tuple(peer.greedy(peer.prompt(name), length)) for name in PROMPTS}
    originals = {name: Original(peer.decode(list(tokens))) for name, tokens in greedy.items()}
    assert any(
        peer.copied(name, one.program)[:length] == greedy[name] for name, one in originals.items()
    )
    drawn = draw(open_engine(base), None, narrow, PROMPTS, originals, samples=20, tokens=length)
    for one in drawn:
        text = one.text.removeprefix(FENCE)
        assert not (originals[one.problem].program + CLOSING).startswith(text)
    assert len({(one.problem, one.copied) for one in drawn}) > 2


def test_a_completion_model_changes_programs_too(tmp_path: Path) -> None:
    engine = open_engine(make_tiny_completion_base(tmp_path))
    drawn = run(engine, Unit("genome", None, WARM, TEXTS, ORIGINALS))["genome"]
    assert not any(is_copy(PROGRAM, one.text.removeprefix(FENCE)) for one in drawn.samples)
    assert all(sum(look.lines) == pytest.approx(1) for look in drawn.looks)
    assert all(look.line == 2 and len(look.lines) == 4 for look in drawn.looks)


def test_a_program_that_holds_a_fence_is_copied_up_to_it(base: Path) -> None:
    fenced = {"short": Original('def f():\n    return "```"\n')}
    engine = open_engine(base)
    drawn = draw(engine, None, WARM, SHORT, fenced, samples=20, tokens=40)
    longest = len(engine.tokenizer('def f():\n    return "```')["input_ids"])
    assert all(one.copied < longest for one in drawn)
