"""dvc.yaml is complete: each stage names the code it runs, the params it reads, its tables."""

import ast
import importlib
import re
from typing import Any

import pytest
from ruamel.yaml import YAML

from coral_batch import lake
from coral_batch.commands import cli
from coral_batch.records.settings import Params
from tests import REPOSITORY
from tests.house import closure, imports
from tests.picture import PAGE, picture

CONTENT: dict[str, Any] = YAML(typ="safe").load(REPOSITORY / "dvc.yaml")
PIPELINE: dict[str, Any] = CONTENT["stages"]
PARTS = {
    **YAML(typ="safe").load(REPOSITORY / "params.yaml")["parts"],
    **CONTENT["vars"][0]["parts"],
}

# What spreads work, shows its progress and words errors and help: it decides no byte of a table.
PLUMBING = (
    *("coral_batch/work", "coral_batch/errors.py"),
    *("stages/arguments.py", "stages/__init__.py"),
)
# But this decides bytes of plots and pages.
WORDS = "coral_batch/work/text.py"
KEYS = set(Params.__dataclass_fields__)
# Sections of params.yaml whose keys stages declare one by one.
NESTED = {"compute", "linteval", "objectives", "sampling"}


def definition(stage: str) -> dict[str, Any]:
    return PIPELINE[stage].get("do", PIPELINE[stage])


def command_of(stage: str) -> str:
    """Return the name of the stage's function: `coral linteval items` is linteval_items."""
    command, *arguments = definition(stage)["cmd"].split()[1:]
    return f"linteval_{arguments[0]}" if command == "linteval" else command


def code_of(stage: str) -> set[str]:
    """Return the files that a stage runs, plumbing and the package itself left out."""
    files = closure(f"stages/{command_of(stage)}.py", PLUMBING)
    return {file for file in files if file != "coral_batch/__init__.py"}


def declared(stage: str, *starts: str) -> set[str]:
    return {dep for dep in definition(stage)["deps"] if dep.startswith(starts)}


@pytest.mark.parametrize("stage", PIPELINE)
def test_a_stage_depends_on_the_folders_of_code_that_it_runs_and_on_no_other(stage: str) -> None:
    code, deps = code_of(stage), declared(stage, "coral_batch", "stages")
    covered = {file: [dep for dep in deps if f"{file}/".startswith(f"{dep}/")] for file in code}
    # A folder's own __init__ runs with whatever is imported from it.
    missing = [f for f, by in covered.items() if not by and not f.endswith("/__init__.py")]
    idle = deps - {dep for by in covered.values() for dep in by} - {WORDS}
    assert (sorted(missing), sorted(idle)) == ([], [])
    files = {dep for dep in deps if dep.endswith(".py")}
    assert files <= {"coral_batch/seeding.py", WORDS, f"stages/{command_of(stage)}.py"}
    assert (WORDS in files) == (stage in ("linteval_report", "results", "page", "index"))


@pytest.mark.parametrize("stage", PIPELINE)
def test_a_stage_depends_on_the_schemas_of_its_tables_and_data_sets_alone(
    stage: str,
) -> None:
    tables = importlib.import_module(f"stages.{command_of(stage)}").TABLES
    names = {f"schemas/{lake.SCHEMAS.get(table, table)}.schema.json" for table in tables}
    existing = {name for name in names if (REPOSITORY / name).is_file()}
    assert declared(stage, "schemas") == existing | {
        *EXTRA.get(stage, ()),
        *DATA_SETS.get(stage, ()),
    }


# Tables that a stage writes into another part than its own.
EXTRA = {
    "best": ("schemas/subjects.schema.json",),
    "selection": ("schemas/inherited.schema.json", "schemas/population.schema.json"),
}
DATA_SETS = {
    "corpus": (
        *("schemas/roles.schema.json", "schemas/mbpp.schema.json"),
        *("schemas/mbpp_sanitized.schema.json", "schemas/humaneval.schema.json"),
        *("schemas/humanevalpack.schema.json", "schemas/evalplus.schema.json"),
        "schemas/evalplus_mbpp.schema.json",
    ),
    "linteval_items": (
        *("schemas/mbpp.schema.json", "schemas/mbpp_sanitized.schema.json"),
        "schemas/codelintereval_meta.schema.json",
    ),
}


# What parts are called in outs.
FOLDERS = (
    *("generations/${key}", "${item.folder}"),
    *("generations/000", "validation/base", "evaluation/best"),
)


@pytest.mark.parametrize("stage", PIPELINE)
def test_a_stage_writes_what_it_says(stage: str) -> None:
    entry = definition(stage)
    outs = {
        out if isinstance(out, str) else next(iter(out))
        for kind in ("outs", "metrics")
        for out in entry.get(kind, [])
    }
    tables = importlib.import_module(f"stages.{command_of(stage)}").TABLES
    for table in tables:
        place = f"lake/{lake.PLACES[table]}"
        keyed = place.replace("{model}", "${key}").replace("{source}", "${key}")
        own = [keyed.replace("{part}", folder) for folder in FOLDERS]
        assert any(f"{place}/".startswith(f"{out}/") for place in own for out in outs), table
    assert len(outs) <= len(tables) + len(EXTRA.get(stage, ())) + (stage == "subjects")


def params_read(file: str) -> set[str]:
    """Return the params, as dotted keys, that a file reads.

    It reads them from `params.load()` or from an argument annotated with `Params`.
    """
    tree = ast.parse((REPOSITORY / file).read_text())
    names = {"params.load()"}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            names |= {node.arg} if ast.unparse(node.annotation) == "Params" else set()
    read = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            root, *keys = (
                re.sub(r"\[.*", "", ast.unparse(node)).removeprefix("params.load()").split(".")
            )
            if (root or "params.load()") in names and keys[:1] and keys[0] in KEYS:
                read.add(".".join(keys[:2] if keys[0] in NESTED else keys[:1]))
    return {key for key in read if not any(other.startswith(f"{key}.") for other in read)}


@pytest.mark.parametrize("stage", PIPELINE)
def test_a_stage_declares_the_params_it_reads_and_no_other(stage: str) -> None:
    # The lake reads params.yaml as a whole, and rules between keys with it.
    files = {file for file in code_of(stage) if not file.startswith("coral_batch/lake/")}
    read = {key for file in files for key in params_read(file)} - {"compute.workers", "parts"}
    if command_of(stage) not in {"best", "evidence", "examples", "index", "results"}:
        read -= {"generations"}  # the pipeline's shape, which stands in the outs
    listed = set(definition(stage).get("params", []))
    if "${item.draws}" in listed:
        listed = listed - {"${item.draws}"} | {part["draws"] for part in PARTS.values()}
    whole = {key if key in read else key.split(".")[0] for key in listed}
    assert whole == read


@pytest.mark.parametrize("stage", PIPELINE)
def test_a_stage_names_nothing_twice(stage: str) -> None:
    for kind in ("deps", "params", "outs", "metrics"):
        names = [str(entry) for entry in definition(stage).get(kind, [])]
        assert sorted(set(names)) == sorted(names), kind


def test_what_only_shows_is_no_dependency_of_what_computes() -> None:
    showing = {"results", "page", "index", "linteval_report"}
    for stage in PIPELINE.keys() - showing:
        shown = {file for file in code_of(stage) if "/report/" in file}
        assert shown == set(), stage


def test_every_part_is_a_folder_of_the_lake() -> None:
    for name, part in PARTS.items():
        assert lake.path("samples", name) == lake.ROOT / part["folder"] / "samples.jsonl"
    assert CONTENT["vars"][0]["parts"].keys() == set(lake.PARTS)
    assert CONTENT["vars"][0]["models"].keys() == set(lake.LINT_MODELS)


def test_every_stage_is_a_command() -> None:
    commands = {*cli.STAGES, *cli.LINTEVAL}
    assert commands == {command_of(stage) for stage in PIPELINE}
    files = {file.stem for file in (REPOSITORY / "stages").glob("[a-z]*.py")}
    assert commands == files - {"arguments"}


def test_stages_do_not_import_one_another_and_are_short() -> None:
    for file in sorted((REPOSITORY / "stages").glob("[a-z]*.py")):
        name = f"stages/{file.name}"
        others = {other for other in imports(name) if other.startswith("stages/")}
        assert others <= {"stages/arguments.py"}, name
        assert len(file.read_text().splitlines()) <= 85, name


def test_the_pipeline_can_be_read_in_one_sitting() -> None:
    assert len((REPOSITORY / "dvc.yaml").read_text().splitlines()) <= 350


def test_the_picture_of_the_pipeline_is_up_to_date() -> None:
    assert f"```mermaid\n{picture()}\n```" in PAGE.read_text(), "run `make docs`"
