"""Genomes, repairs and injected bugs as text.

Programs, model output and test results pass through `coral_batch.work.text.escape`. Every line of
them has a prefix, so that they can neither control the terminal nor imitate a verdict.
"""

from __future__ import annotations

import difflib
import json
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coral_batch.errors import apart
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Bug, Problem
from coral_batch.records.rows import AdapterRow, FirstChangeRow, SampleRow, SelectionRow
from coral_batch.records.settings import OBJECTIVES
from coral_batch.report.roles import SHOWN, with_training
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.automata.picture import draw
from coral_batch.search.best import NOBODY_PASSED
from coral_batch.work.text import (
    BOLD,
    CYAN,
    GREEN,
    RED,
    decimal,
    escape,
    indent,
    inline,
    paint,
    sparkline,
    table,
)

_BAR = 10  # characters of a full bar
_KINDS = 60  # characters of a line of kinds


@dataclass(frozen=True)
class Individual:
    """A genome and its results.

    Attributes:
        genome: the genome.
        cells: history of its automaton, a (steps + 1, height, width) array of 0 and 1.
        features: its row of features.schema.json.
        adapter: its adapter.
        selection: its row of selection.jsonl.
    """

    genome: Genome
    cells: NDArray[np.uint8]
    features: Mapping[str, Any]
    adapter: AdapterRow
    selection: SelectionRow


@dataclass(frozen=True)
class Repair:
    """A sample and its rows in the other tables.

    Attributes:
        problem: its problem.
        kind: kind of the problem's bug; "own" if it was not injected.
        sample: its row of samples.jsonl.
        look: probabilities of the first change; None if answers may leave the program unchanged.
        verdicts: one row per case.
        findings: of flake8 and bandit.
        scores: its row of scores.parquet.
    """

    problem: Problem
    kind: str
    sample: SampleRow
    look: FirstChangeRow | None
    verdicts: Sequence[Mapping[str, Any]]
    findings: Sequence[Mapping[str, Any]]
    scores: Mapping[str, Any]


def configuration_cells(configuration: AdapterConfiguration) -> tuple[str, ...]:
    """Return method, r, alpha, dropout and modules, the modules without ``_proj``."""
    return (
        "DoRA" if configuration.use_dora else "LoRA",
        str(configuration.r),
        str(configuration.lora_alpha),
        f"{configuration.lora_dropout:g}",
        " ".join(name.removesuffix("_proj") for name in configuration.target_modules),
    )


def knobs_cells(knobs: Knobs) -> tuple[str, ...]:
    """Return temperature, top-p, top-k and repetition penalty."""
    return (
        f"{knobs.temperature:g}",
        f"{knobs.top_p:g}",
        str(knobs.top_k),
        f"{knobs.repetition_penalty:g}",
    )


def knobs_text(knobs: Knobs) -> str:
    """Write generation knobs in one line."""
    temperature, top_p, top_k, penalty = knobs_cells(knobs)
    return f"temperature {temperature}, top-p {top_p}, top-k {top_k}, repetition penalty {penalty}"


def individual_text(individual: Individual) -> str:
    """Return the genome, automaton, configuration, training, gate and selection."""
    genome, adapter = individual.genome, individual.adapter
    parents = f" of {', '.join(genome.parents)}" if genome.parents else ""
    features = ", ".join(f"{name} {individual.features[name]:.3f}" for name in FEATURES)
    coordinates = ", ".join(f"{coordinate:.3f}" for coordinate in adapter.coordinates)
    return "\n".join(
        (
            f"operator  {genome.operator}{parents}",
            f"automaton {genome.rule}, grid seed {genome.grid_seed}, density {genome.density:.4f}",
            f"features  {features}",
            f"decoded   {coordinates}",
            adapter_text(adapter),
            "",
            draw(individual.cells),
            "",
            _gate(individual.selection),
        )
    )


def adapter_text(adapter: AdapterRow) -> str:
    """Return an adapter's key, configuration, generation knobs and training."""
    method, r, alpha, dropout, modules = configuration_cells(adapter.configuration)
    return "\n".join(
        (
            f"adapter   {adapter.key}",
            f"          {method}, r {r}, alpha {alpha}, dropout {dropout}, on {modules}",
            f"knobs     {knobs_text(adapter.knobs)}",
            f"training  {_training(adapter)}",
        )
    )


def difference(before: str, after: str, names: tuple[str, str] = ("buggy", "repair")) -> list[str]:
    """Return the escaped lines of a unified diff; none if only trailing newlines differ."""
    one, other = (escape(code).rstrip("\n").split("\n") for code in (before, after))
    return list(difflib.unified_diff(one, other, *names, lineterm=""))


def change(repair: Repair) -> tuple[list[str], str]:
    """Return the diff of a repair to the buggy program, and a note if there is none."""
    if not repair.sample.code.strip():
        return [], "no code; the raw answer is in samples.jsonl"
    assert repair.problem.buggy is not None  # it has a prompt
    lines = difference(repair.problem.buggy, repair.sample.code)
    return lines, "" if lines else "the buggy code, unchanged"


def diff_text(lines: Sequence[str], colour: bool) -> str:
    """Return the lines of a diff, indented and in colours."""
    colours = {"+": GREEN, "-": RED, "@": CYAN}
    return "\n".join(
        "    " + (paint(line, colours[line[0]], colour) if line[0] in colours else line)
        for line in lines
    )


class Failure(NamedTuple):
    """Failed cases with the same message; text is escaped.

    Attributes:
        cases: how many.
        name: of the case, or of the first and the last one.
        kind: of their verdicts.
        question: input and expected result of a single case; None for a test, or several cases.
        detail: the message.
    """

    cases: int
    name: str
    kind: str
    question: tuple[str, str] | None
    detail: str


def failures(repair: Repair) -> list[Failure]:
    """Return the failed cases; consecutive ones with the same message are one failure."""
    failing = [row for row in repair.verdicts if row["kind"] != "PASS"]
    found = []
    for (kind, detail), group in groupby(failing, key=lambda row: (row["kind"], row["detail"])):
        rows = list(group)
        # A wrong result is shown with its case's input; a crash often is the same for all cases.
        for alike in [[row] for row in rows] if kind == "FAIL" else [rows]:
            name, question = case_name(alike[0]), _question(repair.problem, alike[0])
            if len(alike) > 1:
                name, question = f"{name} to {case_name(alike[-1])}", None
            found.append(Failure(len(alike), name, kind, question, inline(detail)))
    return found


def case_name(row: Mapping[str, Any]) -> str:
    """Return the number of a verdict's case, or the name of its test function."""
    return f"case {row['case']}" if row["test"] is None else inline(row["test"])


def _question(problem: Problem, row: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the escaped input and expected result of a verdict's case; None for a test."""
    if row["test"] is not None:
        return None
    if row["case"] >= len(problem.cases):
        raise apart(f"verdicts of {problem.name} with more cases than it has")
    case = problem.cases[row["case"]]
    return inline(", ".join(_json(value) for value in case.inputs)), inline(_json(case.expected))


def repairs_text(repairs: Sequence[Repair], colour: bool) -> str:
    """Return an overview of the problems, then each problem's prompt and repairs."""
    grouped = [list(group) for _, group in groupby(repairs, key=lambda r: r.sample.problem)]
    return "\n\n".join((_overview(grouped), *(_problem(group, colour) for group in grouped)))


def _training(adapter: AdapterRow) -> str:
    losses = adapter.losses
    ended = "; diverged: stopped at a non-finite loss" if adapter.diverged else ""
    if not losses:
        return f"no step{ended}"
    return (
        f"loss {losses[0]:.3f} to {losses[-1]:.3f} (lowest {min(losses):.3f}) in {len(losses)}"
        f" steps, {adapter.tokens} tokens{ended}\n          {sparkline(losses)}"
    )


def _gate(selection: SelectionRow) -> str:
    rows = [
        (
            objective,
            decimal(getattr(selection.objectives, objective), 3),
            decimal(getattr(selection.thresholds, objective), 3),
            "failed" if objective in selection.failed else "passed",
        )
        for objective in OBJECTIVES
    ]
    gate = "passed" if selection.passed else f"failed on {', '.join(selection.failed)}"
    fate = [f"gate      {gate}; shortfall {selection.shortfall:.3f}"]
    if selection.nobody_passed:
        fate.append(f"          {NOBODY_PASSED}")
    if selection.rank is None:
        rank = "none: it did not pass the gate"
    elif selection.crowding is None:
        rank = f"{selection.rank}, crowding distance infinite (an extreme of its rank)"
    else:
        rank = f"{selection.rank}, crowding distance {selection.crowding:.3f}"
    fate += [
        f"fitness   {decimal(selection.fitness, 3)} (a selection score)",
        f"repaired  {decimal(100 * selection.repaired, 1)} %: answers that pass all cases",
        *(
            []
            if selection.read is None
            else [f"reading   {decimal(100 * selection.read, 1)} %: P(right first change), mean"]
        ),
        f"rank      {rank}",
        f"survived  {'yes' if selection.survived else 'no'}",
        f"children  {', '.join(selection.children) or 'none'}",
    ]
    header = ("objective", "score", "threshold", "gate")
    return table(header, rows, left={"objective", "gate"}) + "\n\n" + "\n".join(fate)


def _overview(grouped: Sequence[Sequence[Repair]]) -> str:
    rows = [
        (
            group[0].sample.problem,
            SHOWN[group[0].scores["role"]],
            f"{sum(repair.scores['bugfix'] == 1 for repair in group)}/{len(group)}",
            *(
                decimal(sum(repair.scores[name] for repair in group) / len(group), 3)
                for name in (*OBJECTIVES, "fitness")
            ),
        )
        for group in grouped
    ]
    header = ("problem", "role", "passed", *OBJECTIVES, "fitness")
    notes = with_training({group[0].scores["role"] for group in grouped})
    return "\n\n".join(
        ("Means over the samples", table(header, rows, left={"problem", "role"}), *notes)
    )


def _problem(repairs: Sequence[Repair], colour: bool) -> str:
    first = repairs[0]
    lines = [
        paint(f"=== {first.problem.name}{mark(first)} ===", BOLD, colour),
        f"prompt    {first.sample.prompt_tokens} tokens",
        indent(escape(first.sample.prompt), "  | "),
    ]
    if first.look is not None:
        lines += ["", heat_text(first.problem, first.look, colour)]
    seen: dict[str, int] = {}
    for repair in repairs:
        same = seen.setdefault(repair.sample.code, repair.sample.sample)
        lines += ["", _repair(repair, same, colour)]
    return "\n".join(lines)


def mark(repair: Repair) -> str:
    """Return the mark of a training problem; else an empty string."""
    return f" ({SHOWN['training']})" if repair.scores["role"] == "training" else ""


def _repair(repair: Repair, same: int, colour: bool) -> str:
    sample, scores = repair.sample, repair.scores
    heading = f"--- {sample.problem}{mark(repair)}, sample {sample.sample} ---"
    about = (
        f"  finish {sample.finish}, {sample.new_tokens} new tokens{_origin(sample)},"
        f" fitness {decimal(scores['fitness'], 3)}"
    )
    if same != sample.sample:
        return f"{paint(heading, BOLD, colour)}\n{about}\n  the same code as sample {same}"
    diff, note = change(repair)
    return "\n".join(
        (
            paint(heading, BOLD, colour),
            about,
            f"  {note}" if note else diff_text(diff, colour),
            _verdicts(repair, colour),
            f"  findings  {len(repair.findings) or 'none'}",
            *(f"    {finding_text(row)}" for row in repair.findings),
            "  scores",
            *(
                f"    {name:<8}  {decimal(scores[name], 3)}  {inline(scores[f'{name}_reason'])}"
                for name in OBJECTIVES
            ),
        )
    )


def _origin(sample: SampleRow) -> str:
    """Return the copied tokens, discarded answers and log-probability of a sample."""
    copied = f" ({sample.copied_tokens} of them copied)" if sample.copied_tokens else ""
    redrawn = f", {sample.redrawn} unchanged answers discarded" if sample.redrawn else ""
    likely = sample.log_probability
    return copied + redrawn + ("" if likely is None else f", log-probability {decimal(likely, 2)}")


def _verdicts(repair: Repair, colour: bool) -> str:
    counts = Counter(row["kind"] for row in repair.verdicts)
    tally = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    isolation = ", ".join(sorted({row["isolation"] for row in repair.verdicts}))
    lines = [f"  verdicts  {tally} (isolation: {isolation})"]
    for failure in failures(repair):
        many = f"{failure.cases} cases, " if failure.cases > 1 else ""
        heading = f"{many}{failure.name}: {failure.kind}"
        lines.append(f"    {paint(heading, RED, colour)}")
        got = "detail"
        if failure.question is not None:
            lines.append(f"      input     {failure.question[0]}")
            lines.append(f"      expected  {failure.question[1]}")
            got = "got" if failure.kind == "FAIL" else got
        lines.append(f"      {got:<8}  {failure.detail}")
    return "\n".join(lines)


def finding_text(row: Mapping[str, Any]) -> str:
    """Return a finding in one line."""
    severity = f" ({row['severity']}, confidence {row['confidence']})" if row["severity"] else ""
    return (
        f"{row['tool']} {row['line']}:{row['column']} {inline(row['code'])}"
        f" {inline(row['message'])}{severity}"
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class HeatLine:
    """A line of a buggy program.

    Attributes:
        share: probability that the first change is in this line, given that there is a change.
        text: the line, escaped.
        right: the reference's first change is in this line.
    """

    share: float
    text: str
    right: bool


def heat(problem: Problem, looks: Sequence[FirstChangeRow]) -> list[HeatLine]:
    """Return the lines of a problem's program with the mean probability of the first change."""
    assert problem.buggy is not None  # it has a prompt
    lines = [*problem.buggy.strip("\n").split("\n"), "(after the last line)"]
    count = len(looks)
    return [
        HeatLine(
            sum(look.lines[at] for look in looks if at < len(look.lines)) / count,
            escape(line),
            any(look.line == at + 1 for look in looks),
        )
        for at, line in enumerate(lines)
    ]


def heat_text(problem: Problem, look: FirstChangeRow, colour: bool) -> str:
    """Return the probability of a model's first change by line."""
    none = decimal(100 * look.unchanged, 0)
    rows = [f"probability of the first change by line, in percent; {none} % that there is none"]
    for line in heat(problem, [look]):
        bar = "█" * round(line.share * _BAR)
        share = decimal(100 * line.share, 0)
        text = f"  {share:>3} {bar:<{_BAR}} {'>' if line.right else ' '} {line.text}"
        rows.append(paint(text.rstrip(), GREEN, colour) if line.right else text.rstrip())
    return "\n".join(rows)


def overview_text(bugs: Sequence[Bug]) -> str:
    """Return the programs with their bugs, and the kinds of bugs, as two tables.

    Args:
        bugs: the bugs, ordered by program.
    """
    rows: list[Sequence[str]] = []
    for problem, group in groupby(bugs, key=lambda bug: bug.problem):
        own = list(group)
        failed = sum(bug.failed for bug in own) / len(own)
        first, *more = textwrap.wrap(_counts(own), _KINDS)
        rows.append((problem, str(len(own)), f"{failed:.2f}", first))
        rows += [("", "", "", line) for line in more]
    programs = table(("problem", "bugs", "failed", "kinds"), rows, left={"problem", "kinds"})
    counted = Counter(bug.kind for bug in bugs)
    kinds = table(
        ("kind", "bugs"),
        [(kind, str(count)) for kind, count in counted.most_common()],
        left={"kind"},
    )
    count = len({bug.problem for bug in bugs})
    return f"{len(bugs)} bugs of {count} programs\n\n{programs}\n\n{kinds}"


def bugs_text(bugs: Sequence[Bug], colour: bool) -> str:
    """Return each bug: its kind, its failed cases and its diff to the reference."""
    return "\n\n".join(_bug(bug, colour) for bug in bugs)


def _bug(bug: Bug, colour: bool) -> str:
    heading = f"--- {bug.id}, {bug.kind}, line {bug.line} ---"
    count = len(bug.outcomes)
    failed = count - bug.outcomes.count("P")
    about = f"  {bug.outcomes}: {failed} of {count} cases fail"
    diff = difference(bug.reference, bug.buggy, ("reference", bug.id))
    return "\n".join((paint(heading, BOLD, colour), about, diff_text(diff, colour)))


def _counts(bugs: Sequence[Bug]) -> str:
    """Return the kinds of bugs with their numbers."""
    kinds = Counter(bug.kind for bug in bugs)
    return ", ".join(kind if count == 1 else f"{kind} {count}" for kind, count in kinds.items())
