"""What each column of the lake follows from, in words: for messages and for docs/audit.md.

A column that is not named follows from what its table's ``*`` says; a measured column from its
seal.
"""

from __future__ import annotations

from coral_batch import lake
from coral_batch.lake import seals
from coral_batch.lake.schemas import validator

SEAL = "the row's seal"

VOUCHERS: dict[str, dict[str, str]] = {
    "problems": {"*": "the corpus (params.yaml: corpus)", "sha256": "the problem's other fields"},
    "manifest": {"*": "problems.jsonl and the names of the split"},
    "overlaps": {"*": "problems.jsonl, manifest.jsonl"},
    "statistics": {"*": "problems.jsonl, manifest.jsonl, overlaps.parquet"},
    "card": {"*": "the files of lake/base", "name": "params.yaml: base"},
    "examples": {"*": "problems.jsonl, manifest.jsonl, the base's chat template"},
    "calibration": {
        "bins": "params.yaml: calibration.bins",
        "rounds": "the document's seal; with --calibration the random genomes of params.yaml: seed",
    },
    "population": {
        "*": "params.yaml: seed, evolution; after 000 also the scores of the generation before"
    },
    "automata": {"*": "population.jsonl, params.yaml: automata"},
    "features": {"*": "automata.npz"},
    "adapter_cards": {
        "*": SEAL,
        "key": "the row's determinants",
        "determinants": (
            "the row's seal; of them base, examples, configuration, training and seed also "
            "lake/base/card.json, examples.jsonl, features.parquet, params.yaml"
        ),
    },
    "adapter_folders": {"*": "adapter_cards.jsonl: files"},
    "adapters": {
        "*": "features.parquet, calibration.json, params.yaml: candidates, search",
        "genome": "population.jsonl",
        "key": "adapter_cards.jsonl",
    },
    "adapter_durations": {"unit": "adapter_cards.jsonl: key"},
    "samples": {
        "genome": "adapters.jsonl; `base` or best.json in baseline and evaluations",
        "problem": "manifest.jsonl; params.yaml: evaluation.problems in evaluations",
        "sample": "params.yaml: sampling.samples; evaluation.samples in evaluations",
        "seed": "params.yaml: seed, problem and sample",
        "knobs": "adapters.jsonl; params.yaml: sampling.baseline or best.json elsewhere",
        "prompt": "problems.jsonl, the base's chat template",
        "code": "raw",
        "prompt_tokens": "prompt, the base's tokenizer",
    },
    "sample_durations": {"unit": "the genomes of samples.jsonl"},
    "verdicts": {"*": "samples.jsonl, problems.jsonl: cases or tests"},
    "case_times": {
        "*": "verdicts.parquet; the references of the test problems behind them",
    },
    "findings": {"*": "samples.jsonl: code, linted again"},
    "scores": {
        "*": "samples.jsonl, verdicts.parquet, findings.parquet, case_times.parquet, "
        "params.yaml: objectives"
    },
    "runtimes": {"*": "samples.jsonl, verdicts.parquet, case_times.parquet"},
    "selection": {"*": "population.jsonl, scores.parquet, params.yaml: gate, evolution, seed"},
    "best": {"*": "selection.jsonl, adapters.jsonl and adapter_cards.jsonl of all generations"},
    "best_adapter": {"*": "best.json: files"},
    "evidence": {
        "*": "best.json, overlaps.parquet, scores of the evaluations, of the baseline and of the "
        "best genome, adapters and samples of all generations, params.yaml: seed, search"
    },
    "metrics": {"*": "adapters, selection and scores of all generations, scores of the baseline"},
    "times": {"*": "the durations and case times of the part"},
    "plots": {"*": "metrics.json, selection and scores"},
    "linteval_items": {"*": "the source (params.yaml: linteval), seed"},
    "linteval_tests": {"*": "the source (params.yaml: linteval), seed"},
    "linteval_dropped": {
        "source": "the source (params.yaml: linteval), seed",
        "reason": "the row's seal; what flake8 found is found again",
        "detail": "the row's seal; what flake8 found is found again",
    },
    "linteval_statistics": {"*": "items.jsonl, dropped.jsonl"},
    "linteval_samples": {
        "item": "items.jsonl, params.yaml: linteval.items",
        "sample": "params.yaml: linteval.samples",
        "genome": "the folder's name; of `best` best.json",
        "adapter": "best.json, or adapters.jsonl of the genome's generation",
        "seed": "params.yaml: seed, item and sample",
        "knobs": "params.yaml: linteval.knobs",
        "prompt": "items.jsonl, the base's chat template",
        "code": "raw",
        "prompt_tokens": "prompt, the base's tokenizer",
    },
    "linteval_durations": {"unit": "the items of samples.jsonl"},
    "linteval_verdicts": {"*": "samples.jsonl, tests.jsonl: cases or tests"},
    "linteval_findings": {"*": "samples.jsonl: code, linted again"},
    "linteval_changes": {"*": "items.jsonl and samples.jsonl: code, linted again"},
    "linteval_scores": {"*": "samples.jsonl: code, linted again, and verdicts.parquet"},
    "linteval_metrics": {"*": "scores and changes of base and best, params.yaml: seed"},
    "linteval_plots": {"*": "changes of base and best"},
}


def voucher(table: str, column: str) -> str:
    """Return what vouches for a column; with "" what vouches for the table's rows."""
    words = VOUCHERS[table]
    if column in words:
        return words[column]
    if table in VOUCHERS and column and column in _measured(table):
        return SEAL
    if column == seals.COLUMN:
        return "the seal's own last digits"
    return words.get("*") or next(iter(words.values()))


def _measured(table: str) -> tuple[str, ...]:
    if table in ("adapter_folders", "best_adapter", "plots", "linteval_plots", "card"):
        return ()
    return seals.measured_columns(validator(lake.SCHEMAS.get(table, table)).schema)
