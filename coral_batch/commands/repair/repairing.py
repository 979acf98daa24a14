"""The search for a repair: draw the likeliest changes, run the tests on each, draw again.

A candidate repairs when it passes all tests of the function, where none is of it alone those that
are of no single function, and where there are no such tests all; and when it breaks no other test
that the file passed.
"""

from __future__ import annotations

import difflib
import stat
from collections.abc import Generator, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol

from coral_batch.commands.repair.checks import (
    WHOLE,
    Failure,
    Tested,
    failures,
    failures_of,
    read_tests,
    single,
    size,
)
from coral_batch.commands.repair.prompts import retry_prompt
from coral_batch.commands.repair.source import Source, problem_of, read_source, with_answer
from coral_batch.corpus.sources.programs import newlines
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.atomic import atomic
from coral_batch.models.prompts.prompt import buggy_program, repair_prompt
from coral_batch.models.repairs.extraction import extract_code
from coral_batch.records.settings import Params, Verdicts
from coral_batch.verdicts.packages import mounts, name_of

Outcome = Literal["nothing to repair", "repaired", "not repaired"]

_AT_ONCE = 4
"""Answers judged together, the likeliest first: fewer would start jails more often, and for more
there would be longer to wait."""


class Draw(Protocol):
    """What draws answers."""

    def __call__(self, prompt: str, program: str, count: int, /) -> Iterable[str]:
        """Give `count` answers to `prompt` that change `program`, the likeliest change first.

        An answer is a program, or a text with one in a fence as models write it.
        Of an iterator no more is taken than is needed, and it is closed then.
        """


@dataclass(frozen=True)
class Repair:
    """What came of the attempt to repair a function.

    Attributes:
        outcome: whether the function passes its tests, and whether it did so from the start.
        function: its name.
        source: the file as it was read.
        tested: the tests.
        failed: what the file failed.
        best: the file repaired; else the attempt that passes most tests, which can be the file as
            it was.
        left: what that fails: where it is repaired, tests of other functions alone.
        drawn: answers that were judged.
        rounds: rounds in which they were drawn.
        limits: with which the tests ran.
    """

    outcome: Outcome
    function: str
    source: Source
    tested: Tested
    failed: Sequence[Failure]
    best: Source
    left: Sequence[Failure]
    drawn: int
    rounds: int
    limits: Verdicts

    @property
    def tests(self) -> int:
        """How many tests there are."""
        return size(self.tested)

    @property
    def diff(self) -> str:
        """What `best` changes in the file, as a unified diff; empty where it is the file."""
        return "\n".join(_diff(self.source, self.best, 3))

    def write(self) -> None:
        """Put the repair in the place of the file, whose mode it keeps.

        Raises:
            CoralError: there is none, it fails when all tests are run once more, or the file has
                changed since it was read or cannot be written.
        """
        if self.outcome != "repaired":
            raise CoralError("there is no repair to write", found=self.outcome)
        file = self.source.file.resolve()
        left = {one.id for one in self.left}
        (failed,) = failures([self.best], self.tested, self.limits)
        if failed := [one for one in failed if one.id not in left]:
            raise CoralError(
                "the repair does not pass its tests a second time",
                file=file,
                field=failed[0].test,
                found=failed[0].got,
                action="nothing was written: see whether it depends on chance or on the time",
            )
        if read_source(file).content != self.source.content:
            raise CoralError(
                "the file has changed since it was read",
                file=file,
                action="nothing was written: run the command again",
            )
        with atomic(file, stat.S_IMODE(file.stat().st_mode)) as stream:
            stream.write(self.best.content)


@dataclass(frozen=True)
class _Attempt:
    """A candidate and what it fails."""

    source: Source
    failed: Sequence[Failure]

    def repairs(self, spared: AbstractSet[tuple[str, int]]) -> bool:
        """Whether it fails nothing but tests that need not pass."""
        return {one.id for one in self.failed} <= spared


def repair(
    file: Path | str,
    tests: Path | str | None = None,
    function: str | None = None,
    *,
    model: str = "best",
    samples: int = 16,
    rounds: int = 2,
    smallest: bool = False,
    allow: Sequence[str] = (),
    draw: Draw | None = None,
) -> Repair:
    """Try to repair a function of a file, which stays as it is.

    Args:
        file: the Python file.
        tests: its tests; None for its doctests. See `checks.read_tests`.
        function: the function, or ``Class.method``; None where the tests call a single function.
        model: ``base``, ``best``, GENERATION/GENOME or a PEFT folder.
        samples: changes to draw a round, >= 1.
        rounds: rounds, >= 1; from the second on, the best attempt is shown with a test it fails.
        smallest: take the smallest edit of those that repair, instead of the likeliest.
        allow: packages that file and tests may import, by name or path.
        draw: what draws, in the place of `model`.

    Raises:
        CoralError: params.yaml, the file, its tests or the model cannot be used, `samples` or
            `rounds` is less than 1, or `draw` gives no texts.
    """
    settings = allowing(params.load(), allow)
    draw = draw or loaded_at_need(model, settings)
    search = Search(settings, samples, rounds, smallest, draw)
    source = read_source(Path(file))
    tests = None if tests is None else Path(tests)
    name, tested = read_tests(source, tests, function, list(map(name_of, allow)))
    failed = failures_of(source, tested, settings.verdicts)
    return search.run(source, name, tested, failed)


def allowing(settings: Params, allow: Sequence[str]) -> Params:
    """Return the settings with which programs may import packages.

    Args:
        settings: the run's.
        allow: the packages, by name or path.

    Raises:
        CoralError: there is no such package.
    """
    mounts(allow)
    return replace(settings, verdicts=replace(settings.verdicts, packages=tuple(allow)))


def loaded_at_need(model: str, settings: Params) -> Draw:
    """Return what draws with a model, which is looked for and loaded when it is first asked.

    Args:
        model: ``base``, ``best``, GENERATION/GENOME or a PEFT folder.
        settings: the run's.
    """
    made: list[Draw] = []

    def draw(prompt: str, program: str, count: int, /) -> Iterable[str]:
        if not made:
            # Imported here: torch and transformers take seconds.
            from coral_batch.commands.repair.models import drawer

            made.append(drawer(model, settings))
        return made[0](prompt, program, count)

    return draw


@dataclass(frozen=True)
class Search:
    """How repairs are looked for.

    Attributes:
        settings: limits of the tests, and what prompts show.
        samples: changes to draw a round, >= 1.
        rounds: rounds, >= 1.
        smallest: take the smallest edit of those that repair.
        draw: what draws.
    """

    settings: Params
    samples: int
    rounds: int
    smallest: bool
    draw: Draw

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            CoralError: one is less than 1.
        """
        for name, count in (("samples", self.samples), ("rounds", self.rounds)):
            if count < 1:
                raise CoralError(
                    "nothing would be drawn", field=name, found=count, expected="at least 1"
                )

    def run(self, source: Source, name: str, tested: Tested, failed: Sequence[Failure]) -> Repair:
        """Look for a repair of one function.

        Args:
            source: the file.
            name: the function.
            tested: the tests.
            failed: what the file fails.

        Raises:
            CoralError: the function passes its tests and others fail theirs, the model cannot be
                used, or what draws gives no texts.
        """
        best = _Attempt(source, failed)
        limits, docstring = self.settings.verdicts, self.settings.prompt.docstring
        if not failed:
            return Repair(
                "nothing to repair", name, source, tested, failed, source, failed, 0, 0, limits
            )
        spared = _spared(source, name, tested, failed)
        drawn = 0
        asked: list[str] = []
        while len(asked) < self.rounds:
            wrong = next(one for one in best.failed if one.id not in spared)
            problem = problem_of(best.source, name)
            prompt = repair_prompt(problem, docstring)
            if asked:
                prompt = retry_prompt(problem, docstring, wrong)
            if prompt in asked:  # the answers would be the same
                break
            asked.append(prompt)
            seen: set[Source] = set()
            attempts: list[_Attempt] = []
            right: list[_Attempt] = []
            answers = _iterated(self.draw(prompt, buggy_program(problem), self.samples))
            at_once = self.samples if self.smallest else _AT_ONCE
            while group := list(islice(answers, at_once)):
                _check_texts(group)
                drawn += len(group)
                # What is Python as it is, a program without a fence, is taken whole.
                found = [
                    with_answer(source, name, answer)
                    or with_answer(source, name, extract_code(answer))
                    for answer in group
                ]
                candidates = [one for one in dict.fromkeys(found) if one and one not in seen]
                seen.update(candidates)
                attempts += _judged(candidates, tested, wrong, limits) if candidates else []
                right = [one for one in attempts if one.repairs(spared)]
                if right:
                    break
            if isinstance(answers, Generator):
                answers.close()
            if self.smallest:
                right.sort(key=lambda one: _size(source, one.source))
            if right:
                best = right[0]
                break
            best = min([best, *attempts], key=lambda one: len(one.failed))
        outcome: Outcome = "repaired" if best.repairs(spared) else "not repaired"
        rounds = len(asked)
        return Repair(
            outcome, name, source, tested, failed, best.source, best.failed, drawn, rounds, limits
        )


def _iterated(answers: object) -> Iterator[Any]:
    """Return an iterator over what a `Draw` gave.

    Raises:
        CoralError: it is a text by itself, whose characters are no answers, or nothing to iterate.
    """
    if isinstance(answers, str) or not isinstance(answers, Iterable):
        raise _no_texts(answers)
    return iter(answers)


def _check_texts(answers: Sequence[object]) -> None:
    for answer in answers:
        if not isinstance(answer, str):
            raise _no_texts(answer)


def _no_texts(found: object) -> CoralError:
    return CoralError(
        "what draws gives no sequence of texts",
        field="draw",
        found=found,
        expected="an iterable of str, an answer each",
    )


def _judged(
    candidates: Sequence[Source], tested: Tested, wrong: Failure, limits: Verdicts
) -> list[_Attempt]:
    """Run the tests on candidates; those that hang in the test `wrong` are left out.

    They would take as long in the other tests.
    """
    first = failures(candidates, single(tested, wrong), limits)
    left = [
        candidate
        for candidate, failed in zip(candidates, first, strict=True)
        if not any(one.kind == "TIMEOUT" for one in failed)
    ]
    judged = failures(left, tested, limits) if left else []
    return list(map(_Attempt, left, judged))


def _spared(
    source: Source, name: str, tested: Tested, failed: Sequence[Failure]
) -> AbstractSet[tuple[str, int]]:
    """Return the tests that the file fails and that a repair need not pass.

    Raises:
        CoralError: the function passes all that may be of it.
    """
    at_fault = {one.function for one in failed}
    if not at_fault & {name, WHOLE}:
        if name not in tested:
            return frozenset()
        raise CoralError(
            f"{name} passes its tests, and others fail theirs",
            file=source.file,
            field=f"--function {name}",
            expected=f"one of {', '.join(dict.fromkeys(one.function for one in failed))}",
        )
    own = name if name in at_fault else WHOLE
    return {one.id for one in failed if one.function != own}


def _size(source: Source, changed: Source) -> tuple[int, int]:
    """Return how large an edit is: lines that it takes out or puts in, and their characters."""
    lines = [line for line in _diff(source, changed, 0)[2:] if not line.startswith("@@")]
    return len(lines), sum(map(len, lines))


def _diff(source: Source, changed: Source, around: int) -> list[str]:
    """Return the lines of a unified diff, `around` unchanged ones about each change."""
    texts = [newlines(one.text).removesuffix("\n") for one in (source, changed)]
    before, after = (text.split("\n") for text in texts)
    name = source.file.name
    names = (f"a/{name}", f"b/{name}")
    return list(difflib.unified_diff(before, after, *names, n=around, lineterm=""))
