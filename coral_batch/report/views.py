"""The views of genomes, their repairs and injected bugs, from rows to text.

Nothing is read or printed here. Programs, model output and what came of running it pass through
`coral_batch.work.text.escape`, and every line of it stands behind a prefix, so that it can neither
drive the terminal nor pose as a verdict.
"""

from __future__ import annotations

import difflib
import json
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.bug import Bug
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Problem
from coral_batch.records.rows import AdapterRow, FirstChangeRow, SampleRow, SelectionRow
from coral_batch.report.metrics import OBJECTIVES
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

NO_CODE = "no code; what the model wrote is in samples.jsonl"
UNCHANGED = "the buggy code, unchanged"

_BAR = 10  # characters of a full bar
_KINDS = 60  # characters of a line of kinds


@dataclass(frozen=True)
class Individual:
    """A genome and what became of it.

    Attributes:
        genome: the genome.
        cells: (steps + 1, height, width) array of 0 and 1, its automaton's history.
        features: its row of features.schema.json.
        adapter: its adapter.
        selection: its fate.
    """

    genome: Genome
    cells: NDArray[np.uint8]
    features: Mapping[str, Any]
    adapter: AdapterRow
    selection: SelectionRow


@dataclass(frozen=True)
class Repair:
    """A sample and what was found about it: its rows of the tables of the same names.

    Its `look` is its model's first look at the problem; None where it need not change the program.
    """

    problem: Problem
    sample: SampleRow
    look: FirstChangeRow | None
    verdicts: Sequence[Mapping[str, Any]]
    findings: Sequence[Mapping[str, Any]]
    scores: Mapping[str, Any]


def configuration_cells(configuration: AdapterConfiguration) -> tuple[str, ...]:
    """Return method, r, alpha, dropout and modules, these without their common ``_proj``."""
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
    """Return the genome, its automaton, configuration and training, the gate and its fate."""
    genome, adapter = individual.genome, individual.adapter
    parents = f" of {', '.join(genome.parents)}" if genome.parents else ""
    features = ", ".join(f"{name} {individual.features[name]:.3f}" for name in FEATURES)
    coordinates = ", ".join(f"{coordinate:.3f}" for coordinate in adapter.coordinates)
    return "\n".join(
        (
            f"operator  {genome.operator}{parents}",
            f"automaton {genome.rule}, grid seed {genome.grid_seed}, density {genome.density:.4f}",
            f"features  {features}",
            f"mapped to {coordinates}",
            adapter_text(adapter),
            "",
            draw(individual.cells),
            "",
            _gate(individual.selection),
        )
    )


def adapter_text(adapter: AdapterRow) -> str:
    """Return an adapter's key, configuration, generation knobs and training."""
    return "\n".join(
        (
            f"adapter   {adapter.key}",
            f"          {_configuration(adapter.configuration)}",
            f"knobs     {knobs_text(adapter.knobs)}",
            f"training  {_training(adapter)}",
        )
    )


def difference(before: str, after: str, names: tuple[str, str] = ("buggy", "repair")) -> list[str]:
    """Return the escaped lines of a unified diff; none where nothing but the end differs."""
    one, other = (escape(code).rstrip("\n").split("\n") for code in (before, after))
    return list(difflib.unified_diff(one, other, *names, lineterm=""))


def diff_text(lines: Sequence[str], colour: bool) -> str:
    """Return the lines of a diff, indented and in colours."""
    colours = {"+": GREEN, "-": RED, "@": CYAN}
    return "\n".join(
        "    " + (paint(line, colours[line[0]], colour) if line[0] in colours else line)
        for line in lines
    )


def failures(verdicts: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the verdicts that are no PASS, those that say the same about every case as one."""
    failing = [row for row in verdicts if row["kind"] != "PASS"]
    told: list[list[Mapping[str, Any]]] = []
    for (kind, _), group in groupby(failing, key=lambda row: (row["kind"], row["detail"])):
        # A program that dies before it reads its input says the same about every case; a wrong
        # result is told beside the expected one of its case.
        rows = list(group)
        told += [[row] for row in rows] if kind == "FAIL" else [rows]
    return told


def case_name(row: Mapping[str, Any]) -> str:
    """Return the number of a verdict's case, or the name of its test function."""
    return f"case {row['case']}" if row["test"] is None else inline(row["test"])


def question(problem: Problem, row: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the escaped input and expected result of a verdict's case; None for a test."""
    if row["test"] is not None:
        return None
    case = problem.cases[row["case"]]
    return inline(", ".join(_json(value) for value in case.inputs)), inline(_json(case.expected))


def repairs_text(repairs: Sequence[Repair], colour: bool) -> str:
    """Return an overview of the problems, then each problem's prompt and repairs."""
    grouped = [list(group) for _, group in groupby(repairs, key=lambda r: r.sample.problem)]
    return "\n\n".join((_overview(grouped), *(_problem(group, colour) for group in grouped)))


def _configuration(configuration: AdapterConfiguration) -> str:
    method, r, alpha, dropout, modules = configuration_cells(configuration)
    return f"{method}, r {r}, alpha {alpha}, dropout {dropout}, on {modules}"


def _training(adapter: AdapterRow) -> str:
    losses = adapter.losses
    ended = "; diverged: stopped at a loss that is not finite" if adapter.diverged else ""
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
            f"{getattr(selection.objectives, objective):.3f}",
            f"{getattr(selection.thresholds, objective):.3f}",
            "failed" if objective in selection.failed else "passed",
        )
        for objective in OBJECTIVES
    ]
    gate = "passed" if selection.passed else f"failed on {', '.join(selection.failed)}"
    fate = [f"gate      {gate}; shortfall {selection.shortfall:.3f}"]
    if selection.nobody_passed:
        fate.append(f"          {NOBODY_PASSED}")
    if selection.rank is None:
        rank = "none: only those that passed have one"
    elif selection.crowding is None:
        rank = f"{selection.rank}, crowding distance infinite: an extreme of its rank"
    else:
        rank = f"{selection.rank}, crowding distance {selection.crowding:.3f}"
    fate += [
        f"fitness   {selection.fitness:.3f} (a selection score)",
        f"repaired  {selection.repaired:.3f} of its answers pass all cases (likewise)",
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
                f"{sum(repair.scores[name] for repair in group) / len(group):.3f}"
                for name in (*OBJECTIVES, "fitness")
            ),
        )
        for group in grouped
    ]
    header = ("problem", "role", "solved", *OBJECTIVES, "fitness")
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
    """Return what stands behind the name of a problem that was trained on; else nothing."""
    return f" ({SHOWN['training']})" if repair.scores["role"] == "training" else ""


def _repair(repair: Repair, same: int, colour: bool) -> str:
    sample = repair.sample
    heading = f"--- {sample.problem}{mark(repair)}, sample {sample.sample} ---"
    about = (
        f"  finish {sample.finish}, {sample.new_tokens} new tokens{_origin(sample)}, seed"
        f" {sample.seed}, fitness {repair.scores['fitness']:.3f}"
    )
    if same != sample.sample:
        return f"{paint(heading, BOLD, colour)}\n{about}\n  the same code as sample {same}"
    assert repair.problem.buggy is not None  # what was shown
    parts = (
        paint(heading, BOLD, colour),
        about,
        _diff(repair.problem.buggy, sample.code, colour),
        _verdicts(repair, colour),
        _findings(repair.findings),
        _scores(repair.scores),
    )
    return "\n".join(parts)


def _origin(sample: SampleRow) -> str:
    """Say how an answer came about: what was copied or thrown away, and how likely it is."""
    copied = f" ({sample.copied_tokens} of them copied)" if sample.copied_tokens else ""
    redrawn = f", {sample.redrawn} drawn before it" if sample.redrawn else ""
    likely = sample.log_probability
    return copied + redrawn + ("" if likely is None else f", log-probability {decimal(likely, 2)}")


def _diff(buggy: str, code: str, colour: bool) -> str:
    if not code.strip():
        return f"  {NO_CODE}"
    lines = difference(buggy, code)
    if not lines:
        return f"  {UNCHANGED}"
    return diff_text(lines, colour)


def _verdicts(repair: Repair, colour: bool) -> str:
    counts = Counter(row["kind"] for row in repair.verdicts)
    tally = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    isolation = ", ".join(sorted({row["isolation"] for row in repair.verdicts}))
    lines = [f"  verdicts  {tally} (isolation: {isolation})"]
    for rows in failures(repair.verdicts):
        first = rows[0]
        if len(rows) == 1:
            lines += _failure(repair.problem, first, colour)
        else:
            what = f"{len(rows)} cases, {case_name(first)} to {case_name(rows[-1])}"
            lines.append(f"    {paint(f'{what}: ' + first['kind'], RED, colour)}")
            lines.append(f"      {_detail_name(first)}  {inline(first['detail'])}")
    return "\n".join(lines)


def _failure(problem: Problem, row: Mapping[str, Any], colour: bool) -> list[str]:
    lines = [f"    {paint(f'{case_name(row)}: ' + row['kind'], RED, colour)}"]
    asked = question(problem, row)
    if asked is not None:
        lines += [f"      input     {asked[0]}", f"      expected  {asked[1]}"]
    lines.append(f"      {_detail_name(row)}  {inline(row['detail'])}")
    return lines


def _detail_name(row: Mapping[str, Any]) -> str:
    return "got     " if row["kind"] == "FAIL" and row["test"] is None else "detail  "


def _findings(findings: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"  findings  {len(findings) or 'none'}"]
    return "\n".join([*lines, *(f"    {finding_text(row)}" for row in findings)])


def finding_text(row: Mapping[str, Any]) -> str:
    """Return a finding in one line."""
    severity = f" ({row['severity']}, confidence {row['confidence']})" if row["severity"] else ""
    return (
        f"{row['tool']} {row['line']}:{row['column']} {inline(row['code'])}"
        f" {inline(row['message'])}{severity}"
    )


def _scores(scores: Mapping[str, Any]) -> str:
    lines = ["  scores"]
    for objective in OBJECTIVES:
        reason = inline(scores[f"{objective}_reason"])
        lines.append(f"    {objective:<8}  {scores[objective]:.3f}  {reason}")
    return "\n".join(lines)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class HeatLine:
    """A line of a buggy program.

    Attributes:
        share: probability that the first change stands there, given that there is one.
        text: the line, escaped; of the last one, what may stand behind the program.
        right: the reference's first change stands there.
    """

    share: float
    text: str
    right: bool


def heat(problem: Problem, looks: Sequence[FirstChangeRow]) -> list[HeatLine]:
    """Return the lines of a problem's program, with the mean over some models' looks at it."""
    assert problem.buggy is not None  # what was shown
    lines = [*problem.buggy.strip("\n").split("\n"), "(behind it)"]
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
    """Return where a model would change a program, as text."""
    rows = [f"first change, by line; probability {look.unchanged:.2f} that there is none"]
    for line in heat(problem, [look]):
        bar = "█" * round(line.share * _BAR)
        text = f"  {line.share:.2f} {bar:<{_BAR}} {'>' if line.right else ' '} {line.text}"
        rows.append(paint(text.rstrip(), GREEN, colour) if line.right else text.rstrip())
    return "\n".join(rows)


def overview_text(bugs: Sequence[Bug]) -> str:
    """Return a table of the programs with the number and the kinds of their bugs, and of kinds.

    Args:
        bugs: the bugs, a program's side by side.
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
    """Return each bug as a diff against its reference, with its kind and what its cases say."""
    return "\n\n".join(_bug(bug, colour) for bug in bugs)


def _bug(bug: Bug, colour: bool) -> str:
    heading = f"--- {bug.id}, {bug.kind}, line {bug.line} ---"
    count = len(bug.outcomes)
    failed = count - bug.outcomes.count("P")
    about = f"  {bug.outcomes}: {failed} of {count} cases fail"
    diff = difference(bug.reference, bug.buggy, ("reference", bug.id))
    return "\n".join((paint(heading, BOLD, colour), about, diff_text(diff, colour)))


def _counts(bugs: Sequence[Bug]) -> str:
    """Return the kinds of bugs, with how many where there are several."""
    kinds = Counter(bug.kind for bug in bugs)
    return ", ".join(kind if count == 1 else f"{kind} {count}" for kind, count in kinds.items())
