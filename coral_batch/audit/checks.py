"""Which checks there are and in which order they run: the audit's table of contents."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

from coral_batch import lake
from coral_batch.audit import foundation, generations, linteval, outcome, repairs
from coral_batch.audit.doubt import Doubt
from coral_batch.audit.evidence import Evidence, Unusable
from coral_batch.records.settings import Params
from stages.arguments import ANSWERS_OF

Check = Callable[[Evidence, str | None], None]

# One check a table, in the order of the pipeline: a check may build on those before it.
FOUNDATION: Mapping[str, Check] = {
    "problems": foundation.check_problems,
    "manifest": foundation.check_manifest,
    "overlaps": foundation.check_overlaps,
    "statistics": foundation.check_statistics,
    "card": foundation.check_card,
    "examples": foundation.check_examples,
    "calibration": foundation.check_calibration,
}
GENERATION: Mapping[str, Check] = {
    "population": generations.check_population,
    "automata": generations.check_automata,
    "features": generations.check_features,
    "adapter_cards": generations.check_adapter_cards,
    "adapter_folders": generations.check_adapter_folders,
    "adapters": generations.check_adapters,
    "adapter_durations": generations.check_adapter_durations,
}
REPAIRS: Mapping[str, Check] = {
    "samples": repairs.check_samples,
    "sample_durations": repairs.check_sample_durations,
    "verdicts": repairs.check_verdicts,
    "case_times": repairs.check_case_times,
    "findings": repairs.check_findings,
    "scores": repairs.check_scores,
    "runtimes": repairs.check_runtimes,
}
SELECTION: Mapping[str, Check] = {"selection": generations.check_selection}
BEST: Mapping[str, Check] = {
    "best": outcome.check_best,
    "best_adapter": outcome.check_best_adapter,
}
REPORT: Mapping[str, Check] = {
    "evidence": outcome.check_evidence,
    "metrics": outcome.check_metrics,
    "plots": outcome.check_plots,
    "times": outcome.check_times,
}
LINTEVAL: Mapping[str, Check] = {
    "linteval_items": linteval.check_items,
    "linteval_tests": linteval.check_tests,
    "linteval_dropped": linteval.check_dropped,
    "linteval_statistics": linteval.check_statistics,
}
ANSWERS: Mapping[str, Check] = {
    "linteval_samples": linteval.check_samples,
    "linteval_durations": linteval.check_durations,
    "linteval_verdicts": linteval.check_verdicts,
    "linteval_findings": linteval.check_findings,
    "linteval_changes": linteval.check_changes,
    "linteval_scores": linteval.check_scores,
}
LINTEVAL_REPORT: Mapping[str, Check] = {
    "linteval_metrics": linteval.check_metrics,
    "linteval_plots": linteval.check_plots,
}

Listed = tuple[str, str | None, Check]


def checks(settings: Params, part: str | None, calibration: bool = False) -> list[Listed]:
    """Return table, part and check of everything to audit, in order.

    Args:
        settings: the run's parameters.
        part: a part of the lake, e.g. a generation or ``linteval/base``; None for the whole lake.
        calibration: calibrate the mapping again as well.
    """
    if part is not None and part.startswith(ANSWERS_OF):
        return _of(ANSWERS, part.removeprefix(ANSWERS_OF))
    if part is not None and part not in settings.generations:
        return _of(REPAIRS, part)
    names = list(settings.generations) if part is None else [part]
    listed = []
    if part is None or calibration:
        again = {"calibration": foundation.check_calibration_again} if calibration else {}
        listed += _of({**(FOUNDATION if part is None else {}), **again}, None)
    for name in names:
        listed += _of({**GENERATION, **REPAIRS, **SELECTION}, name)
    listed += _of({"population": GENERATION["population"]}, settings.generations[names[-1]].next)
    if part is None:
        listed += _of(REPAIRS, lake.BASELINE) + _of(BEST, None)
        for evaluation in lake.EVALUATIONS.values():
            listed += _of(REPAIRS, evaluation)
        listed += _of({**REPORT, **LINTEVAL}, None)
        for model in lake.lint_models():
            listed += _of(ANSWERS, model)
        listed += _of(LINTEVAL_REPORT, None)
    return listed


def _of(named: Mapping[str, Check], part: str | None) -> list[Listed]:
    return [(table, part, check) for table, check in named.items()]


def run_checks(settings: Params, listed: Sequence[Listed]) -> tuple[list[Doubt], list[str]]:
    """Run checks in order; return what does not follow, and a line a table."""
    evidence = Evidence(settings)
    lines = []
    for part, group in itertools.groupby(listed, key=lambda entry: entry[1]):
        for table, _, check in group:
            before = len(evidence.doubts)
            words = "follows"
            try:
                check(evidence, part)
            except Unusable:
                words = "not checked: something that it follows from cannot be read"
            found = len(evidence.doubts) - before
            lines.append(f"{lake.path(table, part)}: {f'{found} wrong' if found else words}")
        if part in settings.generations:
            outcome.conclude(evidence, part)
    return evidence.doubts, lines
