"""The search for a repair: draw the likeliest changes, run the tests on each, draw again.

A candidate is a repair if it passes all tests that call the function and breaks no other test. If
no failing test calls the function, it must pass all tests.
"""

from __future__ import annotations

import contextlib
import difflib
import re
import stat
import unicodedata
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Literal, Protocol

from coral_batch.corpus.sources.rows import make_problem
from coral_batch.corpus.sources.views import view
from coral_batch.errors import CoralError, Unfit
from coral_batch.lake import params
from coral_batch.lake.atomic import atomic
from coral_batch.models.prompts.prompt import buggy_program, repair_prompt
from coral_batch.models.repairs.extraction import extract_code
from coral_batch.records.problem import Problem
from coral_batch.records.settings import Params
from coral_batch.repair.released import default_model
from coral_batch.repair.tests import (
    JSON,
    Failure,
    ProjectTests,
    Tests,
    read_case_tests,
    tests_of_file,
    unclear,
)
from coral_batch.verdicts.functions import (
    SourceFile,
    check_function,
    functions_of,
    is_cached,
    newlines,
    read_source,
    with_answer,
)
from coral_batch.verdicts.suites import NOT_RUN

_LONGEST = 400
"""Maximum characters of a test, or of its result, in a prompt."""

Outcome = Literal["nothing to repair", "repaired", "not repaired"]


class Draw(Protocol):
    """Draws answers."""

    def __call__(self, prompt: str, program: str, count: int, /) -> Iterable[str]:
        """Return `count` answers to `prompt` that change `program`, the likeliest change first.

        An answer is a program, or a text with fenced code. An iterator is read only as far as
        needed; a generator is closed then.
        """


@dataclass(frozen=True)
class Repair:
    """The result of trying to repair a function.

    Attributes:
        outcome: whether the function passes its tests, and whether it did from the start.
        function: its name; empty if there was nothing to repair and none was named.
        source: the original file.
        tests: number of tests.
        failed: failures of the original file.
        best: the repaired file; else the attempt with the fewest failures, or the original file.
        left: failures of `best`; after a repair only tests of other functions.
        drawn: number of answers tested.
        rounds: number of rounds used.
        run: runs the tests on a file.
    """

    outcome: Outcome
    function: str
    source: SourceFile
    tests: int
    failed: Sequence[Failure]
    best: SourceFile
    left: Sequence[Failure]
    drawn: int
    rounds: int
    run: Callable[[SourceFile], list[Failure]] = field(repr=False, compare=False)

    @property
    def diff(self) -> str:
        """The changes of `best` as a unified diff; empty if there are none."""
        texts = [newlines(one.text).removesuffix("\n") for one in (self.source, self.best)]
        before, after = (text.split("\n") for text in texts)
        names = (f"a/{self.source.file.name}", f"b/{self.source.file.name}")
        return "\n".join(difflib.unified_diff(before, after, *names, lineterm=""))

    def write(self) -> None:
        """Replace the file with the repair and keep its mode.

        Raises:
            CoralError: there is no repair, it fails when the tests run again, or the file has
                changed since it was read or cannot be written.
        """
        if self.outcome != "repaired":
            raise CoralError("there is no repair to write", found=self.outcome)
        file = self.source.file.resolve()
        left = {one.number for one in self.left}
        if failed := [one for one in self.run(self.best) if one.number not in left]:
            raise CoralError(
                "the repair failed when its tests ran again",
                file=file,
                field=failed[0].test,
                found=failed[0].got,
                action="nothing was written: make the test independent of chance and time",
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
    """A candidate and its failures."""

    source: SourceFile
    failed: Sequence[Failure]

    def repairs(self, spared: AbstractSet[int]) -> bool:
        """Whether it fails only tests that need not pass."""
        return {one.number for one in self.failed} <= spared


def repair(
    file: Path | str,
    tests: Path | str | None = None,
    function: str | None = None,
    *,
    model: str | None = None,
    samples: int = 16,
    rounds: int = 2,
    draw: Draw | None = None,
) -> Repair:
    """Try to repair a function of a file, without writing it.

    Args:
        file: the Python file.
        tests: what pytest runs, a file or a folder; or JSON cases (``.json``, ``.jsonl``); None for
            the examples in the file's docstrings.
        function: the function, or ``Class.method``; None if the failing tests call only one.
        model: ``base``, ``best``, ``released``, a genome or a PEFT folder; None for the
            lake's best, or else the released adapter.
        samples: changes to draw per round, >= 1.
        rounds: rounds, >= 1; from the second on, the prompt shows the best attempt and a test that
            it fails.
        draw: draws answers instead of `model`.

    Raises:
        CoralError: params.yaml, the file, its tests or the model cannot be used.
    """
    settings = params.load()
    search = Search(settings, samples, rounds, draw or lazy_draw(model, settings))
    source = read_source(Path(file))
    tests = None if tests is None else Path(tests)
    if function is not None:
        function = unicodedata.normalize("NFKC", function)  # as Python normalises names
        check_function(source, function)
    if tests is not None and tests.suffix in JSON:
        cases = read_case_tests(source, tests, function, settings.verdicts)
        return search.run(source, cases.function, cases, cases.failures(source))
    with contextlib.closing(tests_of_file(source, tests, settings.verdicts)) as project:
        failed = project.at_first
        name = function or (chosen(source, project, failed) if failed else "")
        return search.run(source, name, project, ran_alone(source, name, project, failed))


def ran_alone(
    source: SourceFile, name: str, tests: ProjectTests, failed: Sequence[Failure]
) -> Sequence[Failure]:
    """Run the tests again if none of a function's ran, behind other functions' that hang.

    Args:
        source: the file.
        name: the function.
        tests: the tests.
        failed: failures of the file.

    Returns:
        Its failures.
    """
    calling = [one for one in failed if name in one.called]
    if not calling or not all(one.got.startswith(NOT_RUN) for one in calling):
        return failed
    return tests.failures(source, {one.number for one in failed} - {one.number for one in calling})


def chosen(source: SourceFile, tests: ProjectTests, failed: Sequence[Failure]) -> str:
    """Return the only function that failing tests call.

    The tests' own calls count first, then those of fixtures, then those inside the file.

    Raises:
        CoralError: they call none, or several.
    """
    known = functions_of(source.tree)
    failed = [one for one in failed if not one.got.startswith(NOT_RUN)]
    for distance in (0, 1, 2):
        called = tests.called(failed, distance)
        names = [name for name in called if name in known]
        if len(names) == 1 and called == names:
            check_function(source, names[0])
            return names[0]
        if called:
            found = f"the failing tests call {', '.join(called)}"
            raise unclear(source.file, found, names)
    shown = "; ".join(f"{one.test}: {one.got}" for one in failed[:3])
    raise unclear(source.file, f"the failing tests are not seen to call any: {shown}", known)


def lazy_draw(model: str | None, settings: Params) -> Draw:
    """Return a `Draw` that finds and loads its model on first use.

    Args:
        model: as in `repair`.
        settings: the run's.
    """

    @cache
    def drawer() -> Draw:
        # Imported here: torch and transformers take seconds.
        from coral_batch.repair import models

        return models.drawer(model or default_model(), settings)

    def draw(prompt: str, program: str, count: int, /) -> Iterable[str]:
        return drawer()(prompt, program, count)

    return draw


@dataclass(frozen=True)
class Search:
    """How to search for repairs.

    Attributes:
        settings: limits of the tests, and the prompt's.
        samples: changes to draw per round, >= 1.
        rounds: rounds, >= 1.
        draw: draws answers.
    """

    settings: Params
    samples: int
    rounds: int
    draw: Draw

    def run(self, source: SourceFile, name: str, tests: Tests, failed: Sequence[Failure]) -> Repair:
        """Search for a repair of one function.

        Args:
            source: the file.
            name: the function.
            tests: the tests.
            failed: failures of the file.

        Raises:
            CoralError: only tests of other functions fail, or the model cannot be used.
        """
        best = _Attempt(source, failed)
        docstring = self.settings.prompt.docstring
        drawn = 0
        asked: list[str] = []
        spared = _spared(source, name, failed, name in tests.seen) if failed else frozenset()
        while failed and len(asked) < self.rounds:
            wrong = next(one for one in best.failed if one.number not in spared)
            problem = problem_of(best.source, name)
            prompt = repair_prompt(problem, docstring)
            if asked:
                prompt = _with_failure(prompt, wrong)
            if prompt in asked:  # the answers would be the same
                break
            asked.append(prompt)
            seen: set[SourceFile] = {source}
            attempts: list[_Attempt] = []
            right: _Attempt | None = None
            answers = self._answers(prompt, buggy_program(problem), later=len(asked) > 1)
            with contextlib.closing(answers):
                for answer in answers:
                    drawn += 1
                    for code in programs_in(answer):
                        candidate = with_answer(source, name, code)
                        if candidate is None or candidate in seen:
                            continue
                        seen.add(candidate)
                        attempt = _Attempt(candidate, tests.failures(candidate, spared))
                        attempts.append(attempt)
                        if attempt.repairs(spared):
                            right = attempt
                            break
                    if right:
                        break
            if right:
                best = right
                if best.failed:  # tests that did not run again may pass now
                    left = {one.number for one in tests.failures(best.source)}
                    best = _Attempt(best.source, [one for one in best.failed if one.number in left])
                break
            best = min([best, *attempts], key=lambda one: len(one.failed))
        outcome: Outcome = "nothing to repair"
        if failed:
            outcome = "repaired" if best.repairs(spared) else "not repaired"
        return Repair(
            outcome,
            name,
            source,
            tests.size,
            failed,
            best.source,
            best.failed,
            drawn,
            len(asked),
            partial(_once_more, tests, {one.number for one in best.failed}),
        )

    def _answers(self, prompt: str, program: str, later: bool) -> Generator[str]:
        """Draw a round's answers; none if a later prompt, with its failing test, does not fit."""
        answers = iter(self.draw(prompt, program, self.samples))
        try:
            yield from islice(answers, self.samples)
        except Unfit:
            if not later:
                raise
        finally:
            if isinstance(answers, Generator):
                answers.close()


def _with_failure(prompt: str, failure: Failure) -> str:
    """Insert a failing test before the last paragraph of a repair prompt, the request."""
    shown, asked = prompt.rsplit("\n\n", 1)
    test, got = failure.test[:_LONGEST], failure.got[:_LONGEST]
    if failure.expected is None:
        report = f"It fails the test {test}:\n```\n{got}\n```"
    else:
        expected = failure.expected[:_LONGEST]
        report = f"It fails this test:\n```python\n{test}\n```\nExpected: {expected}\nGot: {got}"
    return "\n\n".join([shown, report, asked])


def _once_more(tests: Tests, spared: AbstractSet[int], source: SourceFile) -> list[Failure]:
    with contextlib.closing(tests):
        return tests.failures(source, spared)


def problem_of(source: SourceFile, name: str) -> Problem:
    """Return the problem of repairing a function; its reference is empty, since it is unknown.

    Raises:
        CoralError: its lines and those that it uses cannot be extracted from the file.
    """
    code, docstring = view(source, name)
    last = name.rpartition(".")[2]
    return make_problem(last, last, "", buggy=code, docstring=docstring)


_FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<code>.*?)"
    r"(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)


def programs_in(answer: str) -> Iterator[str]:
    """Yield possible programs in an answer: all of it, then each code block, the last first.

    Indented blocks, as in a list, are dedented.

    Args:
        answer: a program, or a text with code blocks.
    """
    yield answer
    answer = newlines(answer)
    for block in reversed([*_FENCE.finditer(answer)]):
        indent = block["indent"]
        yield "".join(line.removeprefix(indent) for line in block["code"].splitlines(keepends=True))
    yield extract_code(answer)


def _spared(
    source: SourceFile, name: str, failed: Sequence[Failure], seen: bool
) -> AbstractSet[int]:
    """Return the failing tests that a repair need not pass.

    Args:
        source: the file.
        name: the function.
        failed: the failing tests.
        seen: whether any test is seen to call it.

    Raises:
        CoralError: only tests of other functions fail.
    """
    known = functions_of(source.tree)
    if calling := [one for one in failed if name in one.called]:
        files = {one.test.partition("::")[0] for one in calling}
        hidden = files if is_cached(source, name) else ()
        return {
            one.number
            for one in failed
            if name not in one.called
            and (one.called & {*known} or one.test.partition("::")[0] not in hidden)
        }
    others = [one for test in failed for one in sorted(test.called) if one in known]
    # Tests may fail before they call anything, and calls during imports are not seen.
    if not others or not seen:
        return frozenset()
    raise CoralError(
        f"{name} passes its tests; only other functions fail",
        file=source.file,
        field=f"--function {name}",
        expected=f"one of {', '.join(dict.fromkeys(others))}",
    )
