"""Stage `samples`: repairs of problems, drawn with every genome of a part or the base model."""

from collections.abc import Callable
from functools import partial
from typing import Any

from coral_batch import lake
from coral_batch.corpus.split.roles import check_evaluation, check_selection, select_evaluation
from coral_batch.lake import params
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.lake.store import Store
from coral_batch.records.problem import Problem, Role
from coral_batch.records.rows import SubjectRow
from coral_batch.records.settings import Params
from stages.arguments import Part

TABLES = ("samples", "sample_durations")


def make(tables: Tables, settings: Params, part: str, draw: Callable[..., Any]) -> Outputs:
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.models.repairs.tables import sample

    held_out = part in lake.EVALUATIONS.values()
    problems = select_evaluation(
        tables.rows("problems", Problem),
        tables.rows("manifest", Role),
        settings.evaluation.problems if held_out else "test",
    )
    names = [problem.name for problem in problems]
    if held_out:
        check_evaluation(names, settings.evaluation.problems)
    else:
        check_selection(names)
    rows, durations = sample(
        tables.rows("subjects", SubjectRow, part),
        problems,
        (settings.evaluation if held_out else settings.sampling).samples,
        tables.folder("base"),
        settings,
        partial(draw, store=Store(lake.STORE)),
    )
    return {"sample_durations": durations, "samples": rows}


def samples(part: Part) -> None:
    """Generate repairs with a generation or the base model."""
    from coral_batch.models.decoding.drawing import draw

    names = {row.problem for row in run(partial(make, draw=draw), part)["samples"]}
    if part in lake.EVALUATIONS.values():
        trained = check_evaluation(names, params.load().evaluation.problems)
        if trained:
            print(f"evaluation.problems is all: {len(trained)} of the {len(names)} were trained on")
