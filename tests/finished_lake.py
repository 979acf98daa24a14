"""A finished run of two generations and the baseline, made in this process in seconds.

All is made by the stages but what a model would make: adapters are a few bytes that stand for
weights, and the answers are taken from the corpus (right, buggy, insecure, without syntax), so that
every kind of verdict, finding and fate is there.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from coral_batch import lake, params
from coral_batch.adapters.base import load_tokenizer, read_card
from coral_batch.adapters.examples import Example, examples_sha256
from coral_batch.automata.features import FEATURES
from coral_batch.corpus.problem import Problem
from coral_batch.corpus.split import Role, select_evaluation
from coral_batch.evolution.configuration import Knobs
from coral_batch.evolution.mapping import configure
from coral_batch.evolution.transport import Transport
from coral_batch.generation.engine import sample_stream
from coral_batch.generation.extraction import extract_code
from coral_batch.generation.prompt import FENCE, chat_prompt, free_prompt, repair_prompt
from coral_batch.linteval.answer import code_of as code_of_item
from coral_batch.linteval.item import Item, fill, spread
from coral_batch.rows import (
    BASE,
    AdapterCardRow,
    AdapterRow,
    BestRow,
    DurationRow,
    LintSampleRow,
    SampleRow,
)
from coral_batch.seeding import derive_seed
from coral_batch.store import key_of
from stages.automata import automata
from stages.base import base
from stages.best import best
from stages.calibration import calibration
from stages.corpus import corpus
from stages.evidence import evidence
from stages.examples import examples
from stages.features import features
from stages.findings import findings
from stages.linteval_items import linteval_items
from stages.linteval_report import linteval_report
from stages.linteval_scores import linteval_scores
from stages.population import population
from stages.report import report
from stages.scores import scores
from stages.selection import selection
from stages.split import split
from stages.verdicts import verdicts
from tests import REPOSITORY
from tests.tiny import make_tiny_base

SETTINGS = (
    (r"model: \S+", "model: tiny"),
    (r"height: \d+", "height: 8"),
    (r"width: \d+", "width: 12"),
    (r"steps: \d+", "steps: 6"),
    (r"automata: \d+", "automata: 64"),
    (r"bins: \d+", "bins: 2"),
    (r"samples: \d+", "samples: 1"),
    (r"population: \d+", "population: 3"),
    (r"  samples: 8", "  samples: 1"),
    (r"  samples: 5", "  samples: 2"),
    (r"  items: \d+", "  items: 3"),
    (r"workers: \S+", "workers: 1"),
)
# Two items each; those of the last are dropped, since it fails the test that it gets here.
SNIPPETS = ("chunks", "clamp", "digit_sum")
INSECURE = "import pickle\n\n\ndef load(text):\n    return pickle.loads(eval(text))\n\n\n"


def make_finished_lake(folder: Path, settings: Sequence[tuple[str, str]] = SETTINGS) -> None:
    """Make the project in `folder`, which is the working directory; `settings` as in `begin`."""
    begin(folder, settings, 2)
    for generation in ("000", "001"):
        automata(generation)
        features(generation)
        adapt(generation)
        draw(generation)
        judge(generation)
        selection(generation)
    draw(lake.BASELINE)
    judge(lake.BASELINE)
    best()
    for part in lake.EVALUATIONS.values():
        draw(part)
        judge(part)
    evidence()
    report()
    linteval_items()
    answer_items()
    other = lake.read_rows("adapters", AdapterRow, "001")[0]
    _lint(f"001/{other.genome}", other.genome, other.key)
    linteval_report()


def begin(
    folder: Path,
    settings: Sequence[tuple[str, str]],
    generations: int,
    make_base: Callable[[Path], Path] = make_tiny_base,
) -> None:
    """Make everything before the first generation's automata.

    Args:
        folder: the working directory.
        settings: pattern and replacement of each line of params.yaml to change.
        generations: how many there will be.
        make_base: makes the base model in a folder.
    """
    text = (REPOSITORY / "params.yaml").read_text()
    for pattern, replacement in settings:
        text, count = re.subn(pattern, replacement, text, count=1)
        assert count == 1, pattern
    (folder / "params.yaml").write_text(text)
    shutil.copytree(REPOSITORY / "lake/raw/classics", folder / "lake/raw/classics")
    _copy_snippets(folder / "lake/raw/snippets")
    make_base(folder / "tiny")
    params.write_generations(generations)
    for stage in (corpus, split, base, examples, calibration, population):
        stage()


def judge(part: str) -> None:
    """Run, lint and score what was drawn."""
    for stage in (verdicts, findings, scores):
        stage(part)


def answer_items() -> None:
    """Answer CodeLinterEval with the base model and the best genome."""
    chosen = lake.read_document("best", BestRow)
    _lint("base", BASE, None)
    _lint("best", chosen.genome, chosen.key)


def _copy_snippets(folder: Path) -> None:
    for kind, end in (("correct_python_programs", "py"), ("json_testcases", "json")):
        (folder / kind).mkdir(parents=True)
        for name in SNIPPETS:
            file = f"{kind}/{name}.{end}"
            shutil.copy(REPOSITORY / "lake/raw/snippets" / file, folder / file)
    (folder / "json_testcases/digit_sum.json").write_text("[[7], 8]\n")


def adapt(part: str) -> None:
    """Make a generation's adapters: a few bytes that stand for weights."""
    settings = params.load()
    common = {
        "base": read_card(lake.path("base")).sha256,
        "examples": examples_sha256(lake.read_rows("examples", Example)),
        "training": asdict(settings.training),
        "seed": settings.seed,
        "code": "0" * 64,
        "versions": {"torch": "2.13.0"},
        "arithmetic": {"threads": 2},
    }
    table = lake.read_frame("features", part)
    transport = Transport.from_plain(lake.read_document("calibration", dict))
    measured = table.select(FEATURES).to_numpy()
    rows, cards = [], {}
    for genome, coordinates, (configuration, knobs) in zip(
        table["genome"],
        transport(measured).tolist(),
        configure(measured, transport, settings.candidates),
        strict=True,
    ):
        known = lake.plain({**common, "configuration": asdict(configuration)})
        key = key_of(known)
        folder = lake.path("adapter_folders", part) / key
        folder.mkdir(parents=True, exist_ok=True)
        hashes = {}
        for name in ("adapter_config.json", "adapter_model.safetensors"):
            content = f"{name} of {key}".encode()
            (folder / name).write_bytes(content)
            hashes[name] = hashlib.sha256(content).hexdigest()
        cards[key] = AdapterCardRow(key, known, hashes)
        rows.append(
            AdapterRow(
                genome, key, tuple(coordinates), configuration, knobs, (2.5, 1.25), 300, False
            )
        )
    lake.write_rows("adapters", rows, part)
    lake.write_rows("adapter_cards", cards.values(), part)
    durations = [DurationRow(key, 2.5, False) for key in cards]
    lake.write_rows("adapter_durations", durations, part)


def code_of_any_kind(problem: Problem, genome: str, sample: int) -> str:
    """Return code that is right, wrong, insecure or no Python; a survivor writes the same again."""
    kinds = (
        problem.reference,
        problem.buggy,
        INSECURE + problem.reference,
        problem.reference.replace("return", "retrun"),
        problem.reference,
    )
    return kinds[derive_seed(1, "kind", genome, problem.name, sample) % len(kinds)]


def draw(part: str, code_of: Callable[[Problem, str, int], str] = code_of_any_kind) -> None:
    """Make the samples of a part.

    Args:
        part: a generation, the baseline or an evaluation.
        code_of: the code that a genome writes for a problem, a sample each.
    """
    settings = params.load()
    tokenizer = load_tokenizer(lake.path("base"))
    held_out = part in lake.EVALUATIONS.values()
    which = settings.evaluation.problems if held_out else "test"
    problems = select_evaluation(
        lake.read_rows("problems", Problem), lake.read_rows("manifest", Role), which
    )
    samples = (settings.evaluation if held_out else settings.sampling).samples
    prompts = {
        problem.name: chat_prompt(tokenizer, repair_prompt(problem, settings.prompt.docstring))
        for problem in problems
    }
    lengths = {
        name: len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
        for name, prompt in prompts.items()
    }
    rows = []
    for genome, knobs in _subjects(part):
        for problem in problems:
            for sample in range(samples):
                raw = f"{FENCE}{code_of(problem, genome, sample)}```"
                rows.append(
                    SampleRow(
                        genome,
                        problem.name,
                        sample,
                        derive_seed(settings.seed, *sample_stream(problem.name, sample)),
                        knobs,
                        prompts[problem.name],
                        raw,
                        extract_code(raw),
                        lengths[problem.name],
                        len(raw) // 4,
                        "fence",
                    )
                )
    lake.write_rows("samples", rows, part)
    durations = [DurationRow(genome, 1.5, False) for genome, _ in _subjects(part)]
    lake.write_rows("sample_durations", durations, part)


def _subjects(part: str) -> list[tuple[str, Knobs]]:
    if part == lake.EVALUATIONS["best"]:
        chosen = lake.read_document("best", BestRow)
        return [(chosen.genome, chosen.knobs)]
    if part in (lake.BASELINE, lake.EVALUATIONS["baseline"]):
        return [(BASE, params.load().sampling.baseline)]
    return [(row.genome, row.knobs) for row in lake.read_rows("adapters", AdapterRow, part)]


def _lint(model: str, genome: str, adapter: str | None) -> None:
    settings = params.load()
    tokenizer = load_tokenizer(lake.path("base"))
    items = spread(lake.read_rows("linteval_items", Item), settings.linteval.items)
    rows = []
    for place, item in enumerate(items):
        prompt = free_prompt(tokenizer, fill(item.instruction, item.inputs))
        for sample in range(settings.linteval.samples):
            raw = _lint_answer(item, settings.linteval.samples * place + sample + len(model))
            rows.append(
                LintSampleRow(
                    item.meta.id,
                    sample,
                    genome,
                    adapter,
                    derive_seed(settings.seed, *sample_stream(str(item.meta.id), sample)),
                    settings.linteval.knobs,
                    prompt,
                    raw,
                    code_of_item(raw),
                    len(tokenizer(prompt, add_special_tokens=False)["input_ids"]),
                    len(raw) // 4,
                    "eos",
                )
            )
    lake.write_rows("linteval_samples", rows, model)
    durations = [DurationRow(str(item.meta.id), 0.5, False) for item in items]
    lake.write_rows("linteval_durations", durations, model)
    linteval_scores(model)


def _lint_answer(item: Item, number: int) -> str:
    """Return an answer that is right, or as it was, silenced, wrong, no Python, or none."""
    solution = item.meta.canonical_code
    code = (
        solution,
        item.inputs.code,
        "import os  # noqa\n\n\n" + solution,
        solution.replace("return", "return not"),
        solution.replace("return", "retrun"),
    )
    return f"{FENCE}{code[number % 6]}```" if number % 6 < len(code) else ""
