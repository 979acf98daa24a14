"""Stage `examples`: what adapters are trained on."""

from coral_batch.corpus.split.roles import select
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.problem import Problem, Role
from coral_batch.records.settings import Params

TABLES = ("examples",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    # Imported here: transformers takes seconds, which --help must not.
    from coral_batch.models.base.checkpoint import load_tokenizer
    from coral_batch.models.prompts.examples import make_examples

    training = select(tables.rows("problems", Problem), tables.rows("manifest", Role), "training")
    tokenizer = load_tokenizer(tables.folder("base"))
    return {"examples": make_examples(training, tokenizer, settings.prompt.docstring)}


def examples() -> None:
    """Make the training examples."""
    rows = run(make)["examples"]
    print(f"{len(rows)} examples of {len({row.problem for row in rows})} problems")
