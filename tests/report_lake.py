"""A small lake for the tests of the report: 2 generations of 3 genomes, 2 problems, 2 samples."""

from collections.abc import Container
from dataclasses import replace

import numpy as np
import polars as pl

from coral_batch import lake
from coral_batch.corpus.roles.coralx import role_of
from coral_batch.corpus.sources.rows import make_problem
from coral_batch.lake import params
from coral_batch.objectives.aggregate import aggregate, fitness
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.example import Example
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Case, Problem, Role
from coral_batch.records.rows import (
    FLOORS,
    AdapterCardRow,
    AdapterRow,
    BestRow,
    DurationRow,
    FirstChangeRow,
    SelectionRow,
    SubjectRow,
)
from coral_batch.records.settings import OBJECTIVES, Scores
from coral_batch.search.automata.features import FEATURES
from stages import best
from tests.rows import SAMPLE, selected

WEIGHTS = Scores(0.30, 0.25, 0.20, 0.15, 0.10)
THRESHOLDS = Scores(0.5, 0.5, 0.4, 0.3, 0.4)
KNOBS = Knobs(0.6, 0.95, 50, 1.05)
BUGGY = "def {name}(n):\n    return n - 1\n"
FIXED = "def {name}(n):\n    return n + 1"
HOSTILE = "def sieve(n):\n    '\x1b]0;owned\x07\x1b[2J\u202e\u2028\x9b31m'\n    return n\r"
PROBLEMS = ("sieve", "wrap")
TAUGHT = "gcd"
SOURCE = "classics"
PORTION = 40
"""Of the examples: those of generation 000 are bugs, those of 001 lint errors."""
ADAPTER_FILES = {"adapter_config.json": "1" * 64, "adapter_model.safetensors": "2" * 64}
CARD = {
    "name": "tiny",
    "origin": "folder",
    "revision": None,
    "source_sha256": None,
    "licence": None,
    "parameters": 1234,
    "dtype": "float32",
    "weights": "weights as published, file for file",
    "files": {"model.safetensors": "3" * 64},
}
HELD_OUT = {"sieve": "detect_cycle", "wrap": "shortest_paths"}
GENERATIONS = {"000": ("000-00", "000-01", "000-02"), "001": ("000-01", "001-00", "001-01")}

# Genome -> (problem, sample) pairs that pass both cases; the others pass one of two.
SOLVED = {
    "base": {("wrap", 0)},
    **{name: set() for name in FLOORS},
    "000-00": set(),
    "000-01": {("wrap", 0)},
    "000-02": set(),
    "001-00": {("sieve", 0), ("wrap", 0), ("wrap", 1)},
    "001-01": {("wrap", 1)},
}


def write_lake() -> None:
    """Write the lake into the working directory."""
    for source in params.load().corpus.sources:
        names = (*PROBLEMS, TAUGHT) if source == SOURCE else (f"of_{source}",)
        problems = [_problem(name) for name in names]
        lake.write_rows("problems", problems, source)
    lake.write_rows("bugs", [])
    for name, genomes in GENERATIONS.items():
        _write_generation(name, genomes)
    write_best()
    _write_repairs(lake.VALIDATION_BASE, ("base", *FLOORS))
    lake.write_rows("sample_durations", [DurationRow("base", 2.0, False)], lake.VALIDATION_BASE)
    for part in (lake.VALIDATION_BASE, lake.EVALUATIONS["base"]):
        lake.write_rows("subjects", [SubjectRow("base", None, None, {}, KNOBS)], part)
    for model in lake.LINT_MODELS:
        answered = [DurationRow("1", 0.5, False), DurationRow("2", 0.5, model == "best")]
        lake.write_rows("linteval_durations", answered, model)
    for part in lake.EVALUATIONS.values():
        (subject,) = lake.read_rows("subjects", SubjectRow, part)
        _write_repairs(part, (subject.genome,))
        lake.write_rows("sample_durations", [DurationRow(subject.genome, 5.0, False)], part)
    roles = [Role(name, SOURCE, "test", "for a test", "cases", "0" * 64) for name in PROBLEMS]
    roles.append(Role(TAUGHT, SOURCE, "training", "to train on", "cases", "0" * 64))
    lake.write_rows("manifest", roles)
    example = Example(f"{TAUGHT}/0", TAUGHT, 0, None, f"Fix {TAUGHT}.", "b", "r", "p", "a")
    examples = [replace(example, id=f"{TAUGHT}/{number}") for number in range(PORTION)]
    names = [f"{TAUGHT}/lint-{number}" for number in range(PORTION)]
    lint = [replace(example, id=name, bug=name) for name in names]
    lake.write_rows("examples", [*examples, *lint])
    lake.write_document("card", CARD)


def refuse(genomes: Container[str]) -> None:
    """Let the gate refuse these genomes in every generation."""
    for part in GENERATIONS:
        rows = lake.read_rows("selection", SelectionRow, part)
        changed = [
            replace(row, passed=False, objectives=replace(row.objectives, security=0.0))
            if row.genome in genomes
            else row
            for row in rows
        ]
        lake.write_rows("selection", changed, part)


def write_evaluation(best: str, renamed: dict[str, str]) -> None:
    """Let base model and best genome do on other problems as they did in selection."""
    for model, part, genome in (("base", lake.VALIDATION_BASE, "base"), ("best", "001", best)):
        scores = lake.read_frame("scores", part).filter(pl.col("genome") == genome)
        other = scores.with_columns(pl.col("problem").replace(renamed)).with_columns(
            role=pl.col("problem").map_elements(role_of, return_dtype=pl.String)
        )
        lake.write_frame("scores", other, lake.EVALUATIONS[model])
        looks = [
            replace(row, problem=renamed.get(row.problem, row.problem))
            for row in lake.read_rows("first_changes", FirstChangeRow, part)
            if row.genome == genome
        ]
        lake.write_rows("first_changes", looks, lake.EVALUATIONS[model])


def write_best() -> None:
    """Write the table `best`."""
    settings = replace(params.load(), generations=dict.fromkeys(GENERATIONS))
    made = best.make(lake, settings, None)
    lake.write_document("best", made["best"])
    part = lake.EVALUATIONS["best"]
    lake.write_rows("subjects", made["subjects", part], part)


KNOWN = {"seed": 5, "arithmetic": {"device": "cpu", "dtype": "float32"}}
"""What determined each adapter."""


def make_run() -> None:
    """Write all that the evidence reads into the working directory."""
    params.write_generations(2)
    write_lake()
    write_evaluation(lake.read_document("best", BestRow).genome, HELD_OUT)
    columns = ("evaluation", "role", "other", "similarity", "ngrams", "trees")
    pairs = [
        ("sieve", "held_out", "gcd", 0.2, 0.3, 0.1),
        ("wrap", "held_out", "lis", 0.4, 0.1, 0.0),
        ("hanoi", "test", "gcd", 0.9, 0.9, 0.9),
    ]
    known = {"other_role": "training"}
    rows = [{**known, **dict(zip(columns, pair, strict=True))} for pair in pairs]
    lake.write_frame("overlaps", lake.frame("overlaps", rows))


def _problem(name: str) -> Problem:
    cases = (Case((1,), 2), Case((0,), 1))
    reference, buggy = f"{FIXED.format(name=name)}\n", BUGGY.format(name=name)
    said = f"The successor of n, called {name}."
    return make_problem(name, name, reference, buggy=buggy, docstring=said, cases=cases)


def _write_generation(part: str, genomes: tuple[str, ...]) -> None:
    born = [genome for genome in genomes if genome.startswith(part)]
    population = [
        Genome(genome, (), "random", "B3/S23", 7, 0.5)
        if genome.startswith("000")
        else Genome(genome, ("000-01", "000-02"), "crossover+mutation", "B3/S23", 7, 0.5)
        for genome in genomes
    ]
    lake.write_rows("population", population, part)
    cells = np.zeros((len(genomes), 3, 4, 8), np.uint8)
    cells[:, :, 1, 2:5] = 1
    histories = {"packed": np.packbits(cells, axis=-1), "width": np.array(8)}
    lake.write_arrays("automata", {"genomes": np.array(genomes), **histories}, part)
    measured = dict(zip(FEATURES, (0.1, 0.2, 0.3, 0.4), strict=True))
    features = [{"genome": genome, **measured} for genome in genomes]
    lake.write_frame("features", lake.frame("features", features), part)
    adapters = [_adapter(genome) for genome in genomes]
    lake.write_rows("adapters", adapters, part)
    subjects = [
        SubjectRow(
            row.genome, row.key, f"generations/{part}/adapters/{row.key}", ADAPTER_FILES, KNOBS
        )
        for row in adapters
    ]
    lake.write_rows("subjects", subjects, part)
    cards = {row.key: AdapterCardRow(row.key, KNOWN, ADAPTER_FILES) for row in adapters}
    lake.write_rows("adapter_cards", cards.values(), part)
    for table, seconds in (("adapter_durations", 10.0), ("sample_durations", 3.0)):
        spent = [DurationRow(genome, seconds, genome not in born) for genome in genomes]
        lake.write_rows(table, spent, part)
    rows = _write_repairs(part, genomes)
    names, objectives = aggregate(
        [row["genome"] for row in rows],
        [row["problem"] for row in rows],
        np.array([[row[objective] for objective in OBJECTIVES] for row in rows]),
    )
    fates = [
        _fate(name, Scores(*map(float, values)), float(fitness(values, WEIGHTS)))
        for name, values in zip(names, objectives, strict=True)
    ]
    lake.write_rows("selection", fates, part)


def _adapter(genome: str) -> AdapterRow:
    # 000-00 and 000-02 share an adapter: their heavy genes are equal.
    key = "a" if genome in ("000-00", "000-02") else genome[-1]
    configuration = AdapterConfiguration(8, 16, 0.05, ("q_proj", "v_proj"), genome == "001-00")
    key = (key + genome[2]) * 32
    coordinates, losses = (0.1, 0.2, 0.3, 0.4), (2.5, 1.5, 0.75)
    return AdapterRow(genome, key, coordinates, configuration, KNOBS, losses, 300, False)


def _fate(genome: str, objectives: Scores, value: float) -> SelectionRow:
    failed = tuple(
        name for name in OBJECTIVES if getattr(objectives, name) < getattr(THRESHOLDS, name)
    )
    row = selected(genome, objectives, value)
    return replace(row, thresholds=THRESHOLDS, passed=not failed, failed=failed)


def _write_repairs(part: str, genomes: tuple[str, ...]) -> list[dict[str, object]]:
    keys = [(g, p, s) for g in genomes for p in PROBLEMS for s in (0, 1)]
    samples, verdicts, times, findings, scores = [], [], [], [], []
    for genome, problem, sample in keys:
        solved = (problem, sample) in SOLVED[genome]
        key = {"genome": genome, "problem": problem, "sample": sample}
        code = FIXED.format(name=problem) if solved else BUGGY.format(name=problem).strip()
        if (problem, sample) == ("sieve", 1):
            code = HOSTILE
        prompt = f"Fix {problem}.\n\n{BUGGY.format(name=problem)}"
        drawn = {"prompt": prompt, "raw": code, "code": code, "knobs": KNOBS}
        counts = {"prompt_tokens": 40, "new_tokens": 20}
        samples.append(replace(SAMPLE, **key, **drawn, **counts, log_probability=-2.0))
        for case, kind in enumerate(("PASS", "PASS" if solved else "FAIL")):
            of_case = {**key, "case": case}
            detail = "" if kind == "PASS" else "-1\x1b[31m\nverdicts 2 PASS"
            told = {"test": None, "kind": kind, "detail": detail, "isolation": "seccomp+rlimits"}
            verdicts.append(of_case | told)
            seconds = {"passed": kind == "PASS", "cpu_seconds": 0.25, "wall_seconds": 0.5}
            times.append(of_case | seconds)
        if not solved:
            named = {"tool": "flake8", "code": "E302", "message": "blank lines"}
            place = {"line": 1, "column": 1, "severity": None, "confidence": None}
            findings.append(key | named | place)
        objectives = (1.0 if solved else 0.5, 1.0, 0.9, 0.97 if solved else 0.75, 0.7)
        scores.append(
            {
                **key,
                "role": "test",
                **dict(zip(OBJECTIVES, objectives, strict=True)),
                "fitness": float(fitness(np.array(objectives), WEIGHTS)),
                **{f"{name}_reason": f"why {name}" for name in OBJECTIVES},
            }
        )
    lake.write_rows("samples", samples, part)
    looks = [
        FirstChangeRow(genome, problem, 0.125, (0.25, 0.75, 0.0), 2, 0.5)
        for genome in genomes
        if genome not in FLOORS
        for problem in PROBLEMS
    ]
    lake.write_rows("first_changes", looks, part)
    found = {"verdicts": verdicts, "case_times": times, "findings": findings, "scores": scores}
    for table, rows in found.items():
        lake.write_frame(table, lake.frame(table, rows), part)
    return scores
