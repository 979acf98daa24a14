"""The checks of samples and of what was found about them, in a generation or the baseline."""

from __future__ import annotations

from dataclasses import asdict

import polars as pl

from coral_batch import lake
from coral_batch.audit.evidence import UNKNOWN, Evidence, Row
from coral_batch.audit.foundation import asked, tokenizer
from coral_batch.corpus.problem import Problem
from coral_batch.generation.engine import sample_stream
from coral_batch.generation.extraction import extract_code
from coral_batch.generation.prompt import chat_prompt, repair_prompt
from coral_batch.linting.tables import lint_samples
from coral_batch.objectives.tables import score_samples
from coral_batch.rows import BASE, REFERENCE, SampleRow
from coral_batch.seeding import derive_seed
from coral_batch.verdicts.tables import program_of
from coral_batch.verdicts.testfiles import test_names
from coral_batch.verdicts.verdict import Program

Name = tuple[str, str, int]


def check_samples(evidence: Evidence, part: str | None) -> None:
    """Make prompts and seeds again, and extract the code again."""
    settings = evidence.settings
    held_out = part in lake.EVALUATIONS.values()
    samples = (settings.evaluation if held_out else settings.sampling).samples
    speaker = tokenizer(evidence)
    prompts = {}
    for problem in asked(evidence, part):
        prompt = chat_prompt(speaker, repair_prompt(problem, settings.prompt.docstring))
        prompts[problem.name] = {
            "prompt": prompt,
            "prompt_tokens": len(speaker(prompt, add_special_tokens=False)["input_ids"]),
        }
    expected = [
        {
            "genome": genome,
            "problem": problem,
            "sample": sample,
            "seed": derive_seed(settings.seed, *sample_stream(problem, sample)),
            "knobs": knobs,
            **prompt,
        }
        for genome, knobs in _subjects(evidence, part)
        for problem, prompt in prompts.items()
        for sample in range(samples)
    ]
    evidence.settle("samples", part, expected, lambda row: {"code": extract_code(row["raw"])})


def _subjects(evidence: Evidence, part: str | None) -> list[tuple[str, Row]]:
    if part == lake.EVALUATIONS["best"]:
        best = evidence.document("best")
        return [(best["genome"], best["knobs"])]
    if part not in evidence.settings.generations:
        return [(BASE, asdict(evidence.settings.sampling.baseline))]
    return [(row["genome"], row["knobs"]) for row in evidence.rows("adapters", part)]


def check_sample_durations(evidence: Evidence, part: str | None) -> None:
    """Check that every genome has its duration."""
    expected = [{"unit": genome} for genome, _ in _subjects(evidence, part)]
    evidence.settle("sample_durations", part, expected)


def check_verdicts(evidence: Evidence, part: str | None) -> None:
    """Check that every sample has a verdict on every case."""
    cases = [
        (problem.name, case, test)
        for problem in asked(evidence, part)
        for case, test in enumerate(_tests(problem))
    ]
    schema = {"problem": pl.String, "case": pl.Int64, "test": pl.String}
    tests = pl.DataFrame(cases, schema, orient="row")
    named = _names(evidence, part)
    evidence.settle_frame(
        "verdicts",
        part,
        named.join(tests, on="problem", maintain_order="left_right").select(
            *named.columns, "case", "test"
        ),
    )


def _tests(problem: Problem) -> list[str | None]:
    return tests_of(program_of(problem, problem.reference))


def tests_of(program: Program) -> list[str | None]:
    """Return the name of the test of each case; None for a JSON case."""
    if program.cases:
        return [None] * len(program.cases)
    return list(test_names(program))


def check_case_times(evidence: Evidence, part: str | None) -> None:
    """Check that every case has its time, those of the references behind the samples'."""
    key = ("genome", "problem", "sample", "case")
    judged = evidence.frame("verdicts", part).select(*key, passed=pl.col("kind") == "PASS")
    references = [
        (REFERENCE, problem.name, 0, case, True)
        for problem in asked(evidence, part)
        for case in range(len(_tests(problem)))
    ]
    expected = pl.concat([judged, pl.DataFrame(references, judged.schema, orient="row")])
    unknown = evidence.tainted("verdicts", part, 4)
    if not unknown:
        evidence.settle_frame("case_times", part, expected)
        return
    rows = expected.to_dicts()
    for row in rows:
        if (*_name(row), row["case"]) in unknown:
            row["passed"] = UNKNOWN
    evidence.settle("case_times", part, rows)


def check_findings(evidence: Evidence, part: str | None) -> None:
    """Lint the repairs again."""
    samples = evidence.built("samples", SampleRow, part)
    found = lint_samples(samples, evidence.settings.compute.workers)
    evidence.settle_frame("findings", part, lake.frame("findings", found))


def check_scores(evidence: Evidence, part: str | None) -> None:
    """Score the repairs again; what rests on a verdict that does not hold stays open."""
    scored, _, (unjudged, untimed) = _scored(evidence, part)
    if evidence.settings.objectives.runtime == "measured":
        unjudged = unjudged | untimed
    _settle_scored(evidence, part, "scores", scored, unjudged)


def check_runtimes(evidence: Evidence, part: str | None) -> None:
    """Likewise for the two runtime objectives, which rest on times as well."""
    _, runtimes, (unjudged, untimed) = _scored(evidence, part)
    _settle_scored(evidence, part, "runtimes", runtimes, unjudged | untimed)


def _scored(
    evidence: Evidence, part: str | None
) -> tuple[dict[Name, Row], dict[Name, Row], tuple[set[Name], set[Name]]]:
    """Return the rows of scores and of runtimes, and whose verdicts and times do not hold."""
    if known := evidence.kept("scored", part):
        return known
    rows = evidence.rows("samples", part)
    unjudged = evidence.tainted("verdicts", part, 3) | evidence.tainted("samples", part, 3)
    untimed = evidence.tainted("case_times", part, 3)
    problems = {problem for genome, problem, _ in untimed if genome == REFERENCE}
    untimed |= {_name(row) for row in rows if row["problem"] in problems}
    scored, runtimes = score_samples(
        [lake.build(SampleRow, row) for row in rows if _name(row) not in unjudged],
        evidence.frame("verdicts", part),
        evidence.frame("findings", part),
        evidence.frame("case_times", part),
        evidence.settings.objectives,
    )
    result = (
        {_name(row): row for row in scored},
        {_name(row): row for row in runtimes},
        (unjudged, untimed),
    )
    evidence.keep("scored", part, result)
    return result


def _settle_scored(
    evidence: Evidence, part: str | None, table: str, known: dict[Name, Row], unknown: set[Name]
) -> None:
    if not unknown:
        evidence.settle_frame(table, part, lake.frame(table, list(known.values())))
        return
    columns = lake.frame(table, []).columns
    expected = []
    for row in evidence.rows("samples", part):
        name = _name(row)
        if name in known and name not in unknown:
            expected.append(known[name])
        else:
            expected.append({**dict.fromkeys(columns, UNKNOWN), **_named(row)})
    evidence.settle(table, part, expected)


def _names(evidence: Evidence, part: str | None) -> pl.DataFrame:
    rows = [_name(row) for row in evidence.rows("samples", part)]
    schema = {"genome": pl.String, "problem": pl.String, "sample": pl.Int64}
    return pl.DataFrame(rows, schema, orient="row")


def _name(row: Row) -> Name:
    return row["genome"], row["problem"], row["sample"]


def _named(row: Row) -> Row:
    return {column: row[column] for column in ("genome", "problem", "sample")}
