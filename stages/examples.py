"""Stage `examples`: what adapters are trained on."""

from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import select
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.bug import Bug
from coral_batch.records.problem import Role
from coral_batch.records.settings import Params

TABLES = ("examples", "refit_examples")


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    # Imported here: transformers takes seconds, which --help must not.
    from coral_batch.linteval.items.examples import make_last_examples
    from coral_batch.models.base.checkpoint import load_tokenizer
    from coral_batch.models.prompts.examples import make_examples

    problems = select(
        read_problems(tables, settings), tables.read_rows("manifest", Role), "training"
    )
    bugs, tokenizer = tables.read_rows("bugs", Bug), load_tokenizer(tables.path("base"))
    shown, docstring = settings.examples, settings.prompt.docstring
    few = make_examples(problems, bugs, shown.bugs, tokenizer, docstring)
    workers = settings.compute.workers
    many = make_last_examples(
        problems, bugs, shown.refit, shown.lint, tokenizer, docstring, settings.seed, workers
    )
    return {"examples": few, "refit_examples": many}


def examples() -> None:
    """Make the training examples."""
    made = run(make)
    for table, words in (("examples", ""), ("refit_examples", " for the best genome")):
        rows = made[table]
        bugs, problems = {row.input for row in rows if not row.lint}, {row.problem for row in rows}
        lint = sum(row.lint for row in rows)
        print(f"{len(rows)} examples{words}: {len(bugs)} bugs of {len(problems)} problems", end="")
        print(f", {lint} programs with lint errors" if lint else "")
