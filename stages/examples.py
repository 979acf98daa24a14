"""Stage `examples`: the training examples."""

from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import select
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.problem import Bug, Role

TABLES = ("examples",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    # Imported here: transformers takes seconds, which --help must not.
    from coral_batch.linteval.items.examples import make_all_examples
    from coral_batch.models.base.checkpoint import load_tokenizer
    from coral_batch.models.prompts.examples import in_portions

    problems = select(
        read_problems(tables, settings), tables.read_rows("manifest", Role), "training"
    )
    made = make_all_examples(
        problems,
        tables.read_rows("bugs", Bug),
        settings.examples,
        load_tokenizer(tables.path("base")),
        settings.prompt.docstring,
        settings.seed,
        settings.compute.workers,
    )
    return {
        "examples": in_portions(made, settings.examples, len(settings.generations), settings.seed)
    }


def examples() -> None:
    """Make the training examples."""
    rows = run(make)["examples"]
    bugs, problems = {row.input for row in rows if not row.lint}, {row.problem for row in rows}
    lint = sum(row.lint for row in rows)
    print(f"{len(rows)} examples: {len(bugs)} bugs of {len(problems)} problems", end="")
    print(f", {lint} programs with lint errors" if lint else "")
