"""The checks of CodeLinterEval: its items, the answers to them, and what was found about both.

The items are built again from their source but for one thing: which programs fail their own tests
in the jail. That stands in the table of what was dropped, under the row's seal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from coral_batch import lake
from coral_batch.audit.evidence import UNKNOWN, Evidence
from coral_batch.audit.foundation import tokenizer
from coral_batch.audit.repairs import tests_of
from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.items.build import DataSet, Judge, adopt, build
from coral_batch.linteval.items.item import fill, spread
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.linteval.items.sources import make
from coral_batch.linteval.report.text import plots
from coral_batch.linteval.scores.metrics import compare
from coral_batch.linteval.scores.tables import Scored, program_of, records_of, score_samples
from coral_batch.models.decoding.engine import sample_stream
from coral_batch.models.prompts.prompt import free_prompt
from coral_batch.records.items import Candidate, Dropped, Item, ItemTests
from coral_batch.records.rows import BASE, LintSampleRow
from coral_batch.records.verdict import Program, Verdict
from coral_batch.seeding import derive_seed

_JAILED = ("original_fails", "canonical_fails")


def check_items(evidence: Evidence, _: str | None) -> None:
    """Build the items again; where their source is gone, from their own code and solution."""
    rows = [lake.plain(item) for item in _data_set(evidence).items]
    evidence.settle("linteval_items", None, rows)


def check_tests(evidence: Evidence, _: str | None) -> None:
    """Likewise for the items' tests."""
    rows = [lake.plain(tests) for tests in _data_set(evidence).tests]
    evidence.settle("linteval_tests", None, rows)


def check_dropped(evidence: Evidence, _: str | None) -> None:
    """Drop the programs again; what the jail found is left to the seal."""
    table = "linteval_dropped"
    expected = _data_set(evidence).dropped
    evidence.settle(table, None, [{"source": drop.source} for drop in expected])
    broken = evidence.tainted(table, None, 1)
    for number, row in enumerate(evidence.rows(table)):
        should = asdict(expected[number])
        if should["reason"] in _JAILED or (row["source"],) in broken:
            continue
        for column in ("reason", "detail"):
            if row[column] != should[column]:
                where = f"row {number + 1} ({row['source']})"
                evidence.doubt(table, None, column, row[column], should[column], row=where)


def check_statistics(evidence: Evidence, _: str | None) -> None:
    """Count items, drops and findings again; drops stay open where a reason does not hold."""
    expected = lake.plain(_data_set(evidence).statistics)
    if evidence.tainted("linteval_dropped", None, 1):
        del expected["dropped"]
    evidence.settle_document("linteval_statistics", expected)


def _data_set(evidence: Evidence) -> DataSet:
    """Return the data set, built again on the first call."""
    if known := evidence.kept("linteval_data_set", None):
        return known
    settings = evidence.settings
    items = evidence.built("linteval_items", Item)
    tests = evidence.built("linteval_tests", ItemTests)
    dropped = evidence.built("linteval_dropped", Dropped)
    source = Path(settings.linteval.path)

    def built() -> DataSet:
        if source.exists():
            return make(settings, _as_dropped(items, tests, dropped))
        if settings.linteval.source == "official":
            return adopt(items, source.name)
        candidates = [
            Candidate(
                of.source,
                item.inputs.code,
                item.meta.canonical_code,
                of.function,
                of.cases,
                of.tests,
            )
            for item, of in zip(items, tests, strict=False)
        ]
        prompts = PROMPTS[settings.linteval.language]
        judge, workers = _as_dropped(items, tests, ()), settings.compute.workers
        return build(candidates, prompts, judge, workers, dropped)

    evidence.keep("linteval_data_set", None, evidence.attempt("linteval_items", None, built))
    return evidence.kept("linteval_data_set", None)


def _as_dropped(
    items: Sequence[Item], tests: Sequence[ItemTests], dropped: Sequence[Dropped]
) -> Judge:
    """Return a judge that fails those programs which failed when the items were built.

    These are the dropped ones, and those of which no item or tests are there either: so a row that
    is missing is missed in its own table.
    """
    reasons = {drop.source: drop.reason for drop in dropped}
    sources, codes = {one.source for one in tests}, {item.inputs.code for item in items}

    def judge(programs: Sequence[Program]) -> list[list[Verdict]]:
        # All programs as they are, then all of them in canonical form.
        half = len(programs) // 2
        failed = {
            one.id
            for one in programs[:half]
            if one.id in reasons or (one.id not in sources and one.code not in codes)
        }
        return [
            [Verdict(0, None, "FAIL", "", 0.0, 0.0)]
            if one.id in failed and (reasons.get(one.id) == "canonical_fails") == (number >= half)
            else []
            for number, one in enumerate(programs)
        ]

    return judge


def check_samples(evidence: Evidence, part: str | None) -> None:
    """Make prompts and seeds again, and extract the code again."""
    settings = evidence.settings
    genome, adapter = _subject(evidence, part)
    speaker = tokenizer(evidence)
    expected = []
    for item in _asked(evidence):
        prompt = free_prompt(speaker, fill(item.instruction, item.inputs))
        tokens = len(speaker(prompt, add_special_tokens=False)["input_ids"])
        expected += [
            {
                "item": item.meta.id,
                "sample": sample,
                "genome": genome,
                "adapter": adapter,
                "seed": derive_seed(settings.seed, *sample_stream(str(item.meta.id), sample)),
                "knobs": asdict(settings.linteval.knobs),
                "prompt": prompt,
                "prompt_tokens": tokens,
            }
            for sample in range(settings.linteval.samples)
        ]
    evidence.settle("linteval_samples", part, expected, lambda row: {"code": code_of(row["raw"])})


def _asked(evidence: Evidence) -> list[Item]:
    return spread(evidence.built("linteval_items", Item), evidence.settings.linteval.items)


def _subject(evidence: Evidence, part: str | None) -> tuple[str, str | None]:
    """Return genome and key of a model's adapter."""
    assert part is not None
    if part == "base":
        return BASE, None
    if part == "best":
        best = evidence.document("best")
        return best["genome"], best["key"]
    generation, _, genome = part.partition("/")
    keys = {row["genome"]: row["key"] for row in evidence.rows("adapters", generation)}
    return genome, keys.get(genome)


def check_durations(evidence: Evidence, part: str | None) -> None:
    """Check that every item has its duration."""
    expected = [{"unit": str(item.meta.id)} for item in _asked(evidence)]
    evidence.settle("linteval_durations", part, expected)


def check_verdicts(evidence: Evidence, part: str | None) -> None:
    """Check that every answer has a verdict on every test of its item."""
    known = {one.id: one for one in evidence.built("linteval_tests", ItemTests)}
    rows = evidence.rows("linteval_samples", part)
    asked = [row["item"] for row in rows]
    tests = evidence.attempt(
        "linteval_tests", None, lambda: records_of(asked, known, "linteval_tests")
    )
    expected = []
    for row in rows:
        program = program_of(tests[row["item"]], row["code"])
        expected += [
            {"item": row["item"], "sample": row["sample"], "case": case, "test": test}
            for case, test in enumerate(tests_of(program) if program else ())
        ]
    evidence.settle("linteval_verdicts", part, expected)


def check_findings(evidence: Evidence, part: str | None) -> None:
    """Lint the answers again."""
    evidence.settle("linteval_findings", part, _scored(evidence, part).findings)


def check_changes(evidence: Evidence, part: str | None) -> None:
    """Compare the findings in answers and items again."""
    evidence.settle("linteval_changes", part, _scored(evidence, part).changes)


def check_scores(evidence: Evidence, part: str | None) -> None:
    """Score the answers again; what rests on a verdict that does not hold stays open."""
    unjudged = evidence.tainted("linteval_verdicts", part, 2)
    expected = [
        {**row, "strict": UNKNOWN, "tests": UNKNOWN}
        if (row["item"], row["sample"]) in unjudged
        else row
        for row in _scored(evidence, part).scores
    ]
    evidence.settle("linteval_scores", part, expected)


def _scored(evidence: Evidence, part: str | None) -> Scored:
    """Lint and score all answers of a model, with the verdicts that stand in its table."""
    if known := evidence.kept("linteval_scored", part):
        return known
    samples = evidence.built("linteval_samples", LintSampleRow, part)
    recorded: dict[tuple[int, int], list[Verdict]] = {}
    for row in evidence.rows("linteval_verdicts", part):
        verdict = Verdict(row["case"], row["test"], row["kind"], row["detail"], 0.0, 0.0)
        recorded.setdefault((row["item"], row["sample"]), []).append(verdict)
    in_order = [(row.item, row.sample) for row in samples]
    scored = score_samples(
        samples,
        evidence.built("linteval_items", Item),
        evidence.built("linteval_tests", ItemTests),
        lambda _: [recorded[name] for name in in_order if name in recorded],
        "",
        evidence.settings.compute.workers,
    )
    evidence.keep("linteval_scored", part, scored)
    return scored


def check_metrics(evidence: Evidence, _: str | None) -> None:
    """Compare the best genome with the base model again."""
    base, best = (
        (
            lake.frame("linteval_scores", evidence.rows("linteval_scores", model)),
            lake.frame("linteval_changes", evidence.rows("linteval_changes", model)),
        )
        for model in lake.LINT_MODELS
    )
    seed = evidence.settings.seed
    expected = evidence.attempt("linteval_metrics", None, lambda: compare(base, best, seed))
    evidence.settle_document("linteval_metrics", lake.plain(expected))


def check_plots(evidence: Evidence, _: str | None) -> None:
    """Draw up the plots' data again."""
    changes = {
        model: lake.frame("linteval_changes", evidence.rows("linteval_changes", model))
        for model in lake.LINT_MODELS
    }
    evidence.settle_texts("linteval_plots", plots(changes))
