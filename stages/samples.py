"""Stage `samples`: repairs of problems, drawn with every genome of a part or the base model."""

from coral_batch import lake
from coral_batch.corpus.split.reading import read_problems, read_shown
from coral_batch.corpus.split.roles import select
from coral_batch.corpus.split.shown import measured, selected_on
from coral_batch.lake import params
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.problem import Bug, Problem, Role, program_of
from coral_batch.records.rows import SubjectRow
from stages.arguments import Part

TABLES = ("samples", "first_changes", "sample_durations")


def make(tables: Tables, settings: Params, part: str) -> Outputs:
    # Imported here: torch and transformers take seconds, which --help must not.
    from coral_batch.models.repairs.tables import floors, sample

    problems, bugs = read_problems(tables, settings), tables.read_rows("bugs", Bug)
    manifest = tables.read_rows("manifest", Role)
    held_out = part in lake.EVALUATIONS.values()
    if held_out:
        shown = measured(problems, bugs, manifest, settings.evaluation)
        read: list[Problem] = []
    else:
        test = select(problems, manifest, "test")
        shown, read = selected_on(test, bugs, settings.validation)
    subjects = tables.read_rows("subjects", SubjectRow, part)
    rows, looks, durations = sample(
        subjects,
        shown,
        read,
        (settings.evaluation if held_out else settings.validation).samples,
        tables.path("base"),
        settings,
    )
    if part == lake.VALIDATION_BASE:
        rows += floors(shown, subjects[0].knobs, tables.path("base"), settings)
    return {"sample_durations": durations, "samples": rows, "first_changes": looks}


def samples(part: Part) -> None:
    """Draw the repairs of a part."""
    from coral_batch.models.repairs.tables import too_long

    names = {row.problem for row in run(make, part)["samples"]}
    settings, tables = params.load(), lake
    shown = read_shown(tables, settings)
    drawn = [shown[name] for name in sorted(names)]
    if long := too_long(drawn, tables.path("base"), settings):
        print(
            f"sampling.max_new_tokens ({settings.sampling.max_new_tokens}) is too low for"
            f" {len(long)} of the {len(names)} programs: their references are longer"
        )
    if part in lake.EVALUATIONS.values():
        roles = {row.name: row.role for row in tables.read_rows("manifest", Role)}
        if trained := sum(roles[program_of(name)] == "training" for name in names):
            print(f"evaluation.problems is all: {trained} of the {len(names)} were trained on")
