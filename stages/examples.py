"""Stage `examples`: what adapters are trained on."""

from coral_batch import lake
from coral_batch.corpus.split import select
from coral_batch.lake import params
from coral_batch.records.problem import Problem, Role


def examples() -> None:
    """Make the training examples."""
    # Imported here: transformers takes seconds, which --help must not.
    from coral_batch.models.base.checkpoint import load_tokenizer
    from coral_batch.models.prompts.examples import make_examples

    problems = lake.read_rows("problems", Problem)
    training = select(problems, lake.read_rows("manifest", Role), "training")
    tokenizer = load_tokenizer(lake.path("base"))
    rows = make_examples(training, tokenizer, params.load().prompt.docstring)
    lake.write_rows("examples", rows)
    print(f"{len(rows)} examples of {len(training)} problems")
