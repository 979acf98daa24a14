"""Stage `examples`: what adapters are trained on."""

from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import select
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.bug import Bug
from coral_batch.records.problem import Role
from coral_batch.records.settings import Params

TABLES = ("examples",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    # Imported here: transformers takes seconds, which --help must not.
    from coral_batch.models.base.checkpoint import load_tokenizer
    from coral_batch.models.prompts.examples import make_examples

    manifest = tables.rows("manifest", Role)
    examples = make_examples(
        select(read_problems(tables, settings), manifest, "training"),
        tables.rows("bugs", Bug),
        settings.examples.bugs,
        load_tokenizer(tables.folder("base")),
        settings.prompt.docstring,
    )
    return {"examples": examples}


def examples() -> None:
    """Make the training examples."""
    rows = run(make)["examples"]
    bugs = {row.input for row in rows}
    print(
        f"{len(rows)} examples: {len(bugs)} bugs of {len({row.problem for row in rows})} problems"
    )
