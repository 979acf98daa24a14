"""A finished run of two generations and the base model, made in this process in seconds.

The stages make everything except adapters and answers: adapters are a few bytes that stand for
weights, and the answers are taken from the corpus (right, buggy, insecure, without syntax), so that
every kind of verdict, finding and fate is there.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from coral_batch import lake
from coral_batch.audit.hashes import LOCK, found_md5
from coral_batch.audit.steps import steps
from coral_batch.corpus.split.reading import read_shown
from coral_batch.lake import params
from coral_batch.lake.hashes import folder_hashes
from coral_batch.lake.places import asked_alone
from coral_batch.lake.stage import run
from coral_batch.lake.store import key_of
from coral_batch.models.base.checkpoint import load_tokenizer, read_card
from coral_batch.models.decoding import drawing
from coral_batch.models.decoding.answer import Drawn, Sample
from coral_batch.models.decoding.changes import Copy, Look, copy_of
from coral_batch.models.decoding.drawing import Drawing, Work
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.models.prompts.prompt import FENCE
from coral_batch.models.training import obtain
from coral_batch.models.training.obtain import Adapter, Wanted
from coral_batch.models.training.training import TrainingCurve
from coral_batch.records.items import Item
from coral_batch.records.problem import Problem
from coral_batch.records.rows import AdapterRow, DurationRow
from coral_batch.records.settings import Training
from coral_batch.seeding import derive_seed
from stages import adapters, linteval_samples, samples
from tests import REPOSITORY, pipeline
from tests.settings import set_params, set_sources
from tests.tiny import make_tiny_base

SETTINGS = {
    **pipeline.SETTINGS,
    "automata.width": 12,
    "automata.steps": 6,
    "examples.portion": 20,
    "evaluation.bugs": 3,
    "evaluation.samples": 1,
    "evolution.population": 3,
    "linteval.path": "lake/raw/items",
}
SOURCES: dict[str, dict[str, object]] = {
    "classics": {"reader": "quixbugs", "path": "lake/raw/classics", "roles": "quixbugs"},
    "snippets": {
        "reader": "quixbugs",
        "path": "lake/raw/snippets",
        "roles": "held_out",
        "exclude": [],
    },
    "own": {"reader": "folder", "path": "lake/raw/own", "roles": "held_out", "exclude": ["twice"]},
}
# A program that is left out, so that nothing else changes for it, and two that give no problem.
OWN = {
    "twice.py": "def twice(n):\n    return n + n\n",
    "test_twice.py": "from twice import twice\n\n\ndef test_two():\n    assert twice(2) == 4\n",
    "thrice.py": "def thrice(n):\n    return 3 * n\n",
    "half.py": "def half(n):\n    return n / 2\n",
}
# Two items each; those of the last are dropped, since it fails the test that it gets here.
ITEMS = ("chunks", "clamp", "digit_sum")
SNIPPETS = ITEMS[:2]
INSECURE = "import pickle\n\n\ndef load(text):\n    return pickle.loads(eval(text))\n\n\n"


def make_finished_lake(folder: Path, settings: Mapping[str, object] = SETTINGS) -> None:
    """Make the project in `folder`, which is the working directory; `settings` as in `begin`."""
    begin(folder, settings)
    for generation in ("000", "001"):
        stage("automata", generation)
        stage("features", generation)
        with patch.object(obtain, "obtain_adapters", _obtain):
            run(adapters.make, generation)
        repair(generation)
        stage("selection", generation)
    stage("subjects")
    repair(lake.VALIDATION_BASE)
    stage("best")
    for part in lake.EVALUATIONS.values():
        repair(part)
    stage("evidence")
    stage("linteval_items")
    for model in lake.LINT_MODELS:
        ask(model)
    other = lake.read_rows("adapters", AdapterRow, "001")[0]
    ask(other.genome)
    stage("linteval_report")
    stage("results")
    lock()


def stage(name: str, *part: str) -> None:
    """Call a stage."""
    getattr(import_module(f"stages.{name}"), name)(*part)


def lock() -> None:
    """Write the hashes into dvc.lock that DVC would have written."""
    places = [place for step in steps(params.load(), None) for place in step.places]
    paths = [lake.path(*place) for place in places]
    outs = [
        {"path": path.as_posix(), "md5": found_md5(path)}
        for path in paths
        if path.exists() and not asked_alone(path)
    ]
    LOCK.write_text(json.dumps({"stages": {"all": {"outs": outs}}}))


def begin(folder: Path, settings: Mapping[str, object]) -> None:
    """Make everything before the first generation's automata.

    Args:
        folder: the working directory.
        settings: what to change in params.yaml, as `set_params` takes it.
    """
    shutil.copy(REPOSITORY / "params.yaml", folder)
    set_sources(SOURCES, folder)
    set_params(settings, folder)
    shutil.copytree(REPOSITORY / "lake/raw/classics", folder / "lake/raw/classics")
    _copy_snippets(SNIPPETS, folder / "lake/raw/snippets")
    _copy_snippets(ITEMS, folder / "lake/raw/items")
    (folder / "lake/raw/items/json_testcases/digit_sum.json").write_text("[[7], 8]\n")
    (folder / "lake/raw/own").mkdir()
    for name, text in OWN.items():
        (folder / "lake/raw/own" / name).write_text(text)
    make_tiny_base(folder / "tiny")
    params.write_generations(2)
    for source in SOURCES:
        stage("corpus", source)
    for name in ("split", "bugs", "base", "examples", "calibration", "population"):
        stage(name)


def _copy_snippets(names: Iterable[str], folder: Path) -> None:
    for kind, end in (("correct_python_programs", "py"), ("json_testcases", "json")):
        (folder / kind).mkdir(parents=True)
        for name in names:
            file = f"{kind}/{name}.{end}"
            shutil.copy(REPOSITORY / "lake/raw/snippets" / file, folder / file)


def _obtain(
    base: Path, wanted: Iterable[Wanted], training: Training, *_: object
) -> dict[Wanted, Adapter]:
    """Stand for training: a few bytes are the weights."""
    common = {
        "base": read_card(base).sha256,
        "training": asdict(training),
        "code": "0" * 64,
        "versions": {"torch": "2.13.0"},
        "arithmetic": {"device": "cpu", "dtype": "float32", "threads": 1},
    }
    obtained = {}
    for one in wanted:
        parents = [{"key": parent.key, "share": 1 / len(one.parents)} for parent in one.parents]
        own = {
            "configuration": asdict(one.configuration),
            "seed": one.seed,
            "parents": parents,
            "examples": examples_sha256(one.examples),
        }
        known = lake.plain({**common, **own})
        key = key_of(known)
        folder = Path(".coral/made") / key
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("adapter_config.json", "adapter_model.safetensors"):
            (folder / name).write_bytes(f"{name} of {key}".encode())
        curve = TrainingCurve((2.5, 1.25), (150, 150), False)
        obtained[one] = Adapter(key, known, folder, folder_hashes(folder), curve, False, 2.5)
    return obtained


def code_of_any_kind(problem: Problem, genome: str, sample: int) -> str:
    """Return code that is right, wrong, insecure or no Python; a survivor writes the same again."""
    assert problem.buggy is not None
    kinds = (
        problem.reference,
        problem.buggy,
        INSECURE + problem.reference,
        problem.reference.replace("return", "retrun"),
        problem.reference,
    )
    return kinds[derive_seed(1, "kind", genome, problem.name, sample) % len(kinds)]


def repair(part: str) -> None:
    """Make the samples of a part; run, lint and score them."""
    problems = read_shown(lake, params.load())

    def write(genome: str, problem: str, sample: int) -> str:
        return f"{FENCE}{code_of_any_kind(problems[problem], genome, sample)}```"

    with patch.object(drawing, "draw", partial(draw_with, write, "fence")):
        run(samples.make, part)
    for name in ("verdicts", "findings", "scores"):
        stage(name, part)


def draw_with(
    write: Callable[[str, str, int], str],
    finish: str,
    works: Sequence[Work],
    how: Drawing,
    base: Path,
    *_: object,
    **__: object,
) -> tuple[list[Drawn], list[DurationRow]]:
    """Stand for the engine."""
    tokenizer = load_tokenizer(base)
    answers = []
    for work in works:
        drawn = []
        for name, prompt in work.prompts.items():
            if name in work.read:
                continue
            length = len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
            for index in range(how.samples):
                text = write(work.name, name, index)
                count = len(text) // 4
                drawn.append(
                    Sample(
                        problem=name,
                        index=index,
                        text=text,
                        prompt_tokens=length,
                        tokens=count,
                        copied=count // 2 if work.originals else 0,
                        redrawn=index % 3 if work.originals else 0,
                        finish=finish,
                        log_probability=-count / 8,
                    )
                )
        looks = [
            _look(copy_of(tokenizer, work.prompts[name], original), name)
            for name, original in work.originals.items()
        ]
        answers.append(Drawn(drawn, looks))
    return answers, [DurationRow(work.name, 1.5, False) for work in works]


def _look(copy: Copy, name: str) -> Look:
    """Return the look of a model that has learnt something: most of its changes are in place."""
    lines = [1.0] * (copy.program.count("\n") + 2)
    lines[(copy.line or 1) - 1] += len(name) % 4
    return Look(name, 0.25, tuple(one / sum(lines) for one in lines), copy.line, 0.125)


def ask(model: str) -> None:
    """Let a model answer CodeLinterEval's items, and score the answers."""
    items = {str(item.meta.id): item for item in lake.read_rows("linteval_items", Item)}
    places = {name: place for place, name in enumerate(items)}
    count = params.load().linteval.samples

    def write(_: str, item: str, sample: int) -> str:
        return _lint_answer(items[item], count * places[item] + sample + len(model))

    with patch.object(drawing, "draw", partial(draw_with, write, "eos")):
        run(linteval_samples.make, model)
    stage("linteval_scores", model)


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
