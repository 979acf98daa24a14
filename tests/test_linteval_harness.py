"""The task for lm-evaluation-harness says of answers what `coral linteval score` says of them."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from lm_eval import simple_evaluate
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.models.utils import postprocess_generated_text
from lm_eval.tasks import TaskManager

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.linteval.items.item import fill
from tests import REPOSITORY
from tests.linteval_sources import CLEAN, CODE, TWICE, an_item, fenced, linteval
from tests.readers import jsonl
from tests.settings import set_params

TASKS = REPOSITORY / "integrations" / "lm_eval"
TEXTS = ("Fix {feedback}:\n\n{code}\n", "{what}\n\nis wrong")
ITEMS = [
    an_item(3, CODE, CLEAN, *TEXTS),
    an_item(1, *TWICE, *TEXTS),
    an_item(2, "x=[ 1]\n", "[1]", *TEXTS),
]
ONE = [
    fenced(CLEAN),
    fenced(f"{CLEAN}\n\nprint(double(1))\n"),
    f"So:\n\n{fenced(CLEAN)}\n\nThat is all.",
    fenced("import os\n\n\n") + "\n" + fenced(f"print(os)\n\n\n{CLEAN}"),
    CLEAN,
    f"\n\n{CLEAN}",
    f"  {fenced(CLEAN)}",
    f"```\n{CLEAN}```",
    "",
    "  \n",
]
ANSWERS = {
    3: ONE,
    1: [answer.replace("double", "twice") for answer in ONE[::-1]],
    2: ["x = [1]\n", "x=[1]  # noqa\n", *["x = [ 1]\n"] * 8],
}
"""Empty lines, no fence, several fences, white space around, nothing: ten answers an item."""


class Scripted(LM):
    """A model that gives the known answers, each cut as the harness's own models cut theirs."""

    def __init__(self, answers: dict[int, list[str]]) -> None:
        super().__init__()
        self.answers = {item: iter(texts) for item, texts in answers.items()}
        self.prompts: dict[int, set[str]] = defaultdict(set)

    def generate_until(self, requests: list[Instance]) -> list[str]:
        found = []
        for request in requests:
            item = request.doc["meta"]["id"]
            prompt, knobs = request.args
            self.prompts[item].add(prompt)
            text = next(self.answers[item])
            found.append(postprocess_generated_text(text, knobs["until"], None))
        return found

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Instance]) -> list[float]:
        raise NotImplementedError


@pytest.fixture
def items(workspace: Path) -> Path:
    set_params({"compute.workers": 1})
    return jsonl(workspace / "items.jsonl", *map(lake.plain, ITEMS))


def evaluate(model: LM | str, items: Path, tasks: Path = TASKS, **options: Any) -> dict[str, Any]:
    """Return what the harness finds."""
    manager = TaskManager(
        include_path=str(tasks), include_defaults=False, metadata={"items": str(items)}
    )
    found = simple_evaluate(model, tasks=["codelintereval"], task_manager=manager, **options)
    assert found is not None
    return dict(found)


def in_harness(found: dict[str, Any]) -> dict[str, float]:
    """Return the means, without their standard errors."""
    return {
        key.removesuffix(",scored"): round(value, 6)
        for key, value in found["results"]["codelintereval"].items()
        if key.endswith(",scored") and "_stderr" not in key
    }


def here(items: Path, answers: dict[int, list[str]]) -> dict[str, float]:
    """Return what `coral linteval score` says of answers, by the harness's names."""
    rows = ({"id": item, "answers": texts} for item, texts in answers.items())
    file = jsonl(Path("answers.jsonl"), *rows)
    linteval("score", items, file, "--json", "out.json")
    summary = json.loads(Path("out.json").read_text())["models"][0]["summary"]
    return {
        name: passes["value"] for name, passes in summary["official"].items() if passes is not None
    }


def test_the_harness_and_coral_say_the_same_of_the_same_answers(items: Path) -> None:
    model, tracker = Scripted(ANSWERS), EvaluationTracker(output_path="results")
    whole = evaluate(model, items, evaluation_tracker=tracker)
    found = in_harness(whole)
    assert found == here(items, ANSWERS)
    assert 0 < found["pass@1"] < found["pass@5"] < found["pass@10"] <= 1
    assert model.prompts == {item.meta.id: {fill(item.instruction, item.inputs)} for item in ITEMS}
    # The log holds the answers as they were given.
    samples = whole.pop("samples")
    tracker.save_results_aggregated(whole, samples)
    tracker.save_results_samples("codelintereval", samples["codelintereval"])
    (log,) = Path("results").rglob("samples_codelintereval_*.jsonl")
    rows = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    assert {row["doc"]["meta"]["id"]: row["resps"][0] for row in rows} == ANSWERS


def test_answers_end_at_an_empty_line_where_they_are_told_to(items: Path) -> None:
    found = in_harness(evaluate(Scripted(ANSWERS), items, gen_kwargs={"until": ["\n\n"]}))
    cut = {item: [text.split("\n\n")[0] for text in texts] for item, texts in ANSWERS.items()}
    assert found == here(items, cut)


def test_a_transformers_model_is_asked_through_its_chat_template(items: Path, base: Path) -> None:
    task = f"include: {TASKS / 'codelintereval.yaml'}\ntask: codelintereval\nrepeats: 2\n"
    Path("fewer.yaml").write_text(task)
    found = evaluate(
        "hf",
        items,
        Path(),
        model_args={"pretrained": str(base)},
        device="cpu",
        apply_chat_template=True,
        gen_kwargs={"max_gen_toks": 8},
    )
    log = found["samples"]["codelintereval"]
    answers = {row["doc"]["meta"]["id"]: row["resps"][0] for row in log}
    assert in_harness(found) == here(items, answers)
    # A k beyond the number of answers has no score.
    assert in_harness(found).keys() == {"pass@1"}
    prompt, knobs = log[0]["arguments"][0]
    asked = fill(ITEMS[0].instruction, ITEMS[0].inputs)
    assert prompt == f"<|im_start|>user\n{asked}<|im_end|>\n<|im_start|>assistant\n"
    assert knobs == {"do_sample": True, "temperature": 0.6, "max_gen_toks": 8, "until": []}


def test_a_task_without_items_says_how_they_are_named(workspace: Path) -> None:
    manager = TaskManager(include_path=str(TASKS), include_defaults=False)
    with pytest.raises(CoralError, match="items=FILE"):
        manager.load(["codelintereval"])
