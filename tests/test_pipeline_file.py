"""dvc.yaml is complete: each stage names the code it runs, the params it reads, its tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from coral_batch import lake
from coral_batch.commands import cli
from coral_batch.records.settings import Params
from tests import REPOSITORY

PIPELINE: dict[str, Any] = YAML(typ="safe").load(REPOSITORY / "dvc.yaml")["stages"]

# What moves tables and params but computes nothing that stands in them; an edit reruns nothing.
PLUMBING = {
    f"coral_batch/{name}.py"
    for name in (
        "arguments",
        "atomic",
        "cluster",
        "errors",
        "hashes",
        "lake",
        "orphans",
        "parallel",
        "params",
        "progress",
        "rows",
        "schemas",
        "strictjson",
    )
}


KEYS = set(Params.__dataclass_fields__)
# Sections of params.yaml whose keys stages declare one by one.
NESTED = {"compute", "linteval", "objectives"}


def definition(stage: str) -> dict[str, Any]:
    return PIPELINE[stage].get("do", PIPELINE[stage])


def command_of(stage: str) -> str:
    """Return the name of the stage's function: `coral linteval items` is linteval_items."""
    command, *arguments = definition(stage)["cmd"].split()[1:]
    return f"linteval_{arguments[0]}" if command == "linteval" else command


def imported_files(file: str) -> Iterator[str]:
    """Yield the files of this repository that a file imports, at any depth of its code."""
    for node in ast.walk(ast.parse((REPOSITORY / file).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            path = name.replace(".", "/")
            for candidate in (f"{path}.py", f"{path}/__init__.py"):
                if (
                    name.startswith(("coral_batch", "stages"))
                    and (REPOSITORY / candidate).is_file()
                ):
                    yield candidate


@cache
def closure(file: str) -> frozenset[str]:
    """Return the files that run when `file` does, plumbing and empty packages left out."""
    found: set[str] = set()
    waiting = [file]
    while waiting:
        current = waiting.pop()
        if current in found or current in PLUMBING:
            continue
        found.add(current)
        waiting += imported_files(current)
    return frozenset(name for name in found if not name.endswith("__init__.py"))


def covers(dependency: str, file: str) -> bool:
    return file == dependency or file.startswith(f"{dependency}/")


@pytest.mark.parametrize("stage", PIPELINE)
def test_a_stage_depends_on_the_code_it_runs_and_on_no_other(stage: str) -> None:
    needed = closure(f"stages/{command_of(stage)}.py")
    declared = [dep for dep in definition(stage)["deps"] if dep.startswith(("coral_batch", "stag"))]
    missing = sorted(f for f in needed if not any(covers(dep, f) for dep in declared))
    idle = sorted(dep for dep in declared if not any(covers(dep, file) for file in needed))
    assert (missing, idle) == ([], [])


def params_read(file: str) -> set[str]:
    """Return the params, as dotted keys, that a file reads.

    A stage reads them from `settings` or `params.load()`; a function of `coral_batch` from an
    argument annotated with `Params`.
    """
    tree = ast.parse((REPOSITORY / file).read_text())
    names = {"settings", "params.load()"} if file.startswith("stages/") else set()
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
    files = closure(f"stages/{command_of(stage)}.py")
    read = {key for file in files for key in params_read(file)} - {"compute.workers"}
    if command_of(stage) not in {"best", "evidence", "index", "report"}:
        read -= {"generations"}  # the pipeline's shape, which stands in the outs
    declared = set(definition(stage).get("params", []))
    whole = {key if key in read else key.split(".")[0] for key in declared}
    assert whole == read


@pytest.mark.parametrize("stage", PIPELINE)
def test_a_stage_names_nothing_twice(stage: str) -> None:
    for kind in ("deps", "params", "outs", "metrics"):
        names = [str(entry) for entry in definition(stage).get(kind, [])]
        assert sorted(set(names)) == sorted(names), kind


def test_every_stage_is_a_command() -> None:
    commands = {function.__name__ for function in (*cli.STAGES, *cli.LINTEVAL)}
    assert commands == {command_of(stage) for stage in PIPELINE}
    assert commands == {file.stem for file in (REPOSITORY / "stages").glob("[a-z]*.py")}


def test_stages_do_not_import_one_another_and_are_short() -> None:
    for file in sorted((REPOSITORY / "stages").glob("[a-z]*.py")):
        name = f"stages/{file.name}"
        assert [other for other in imported_files(name) if other.startswith("stages/")] == []
        assert len(file.read_text().splitlines()) <= 80, name


def test_every_output_lies_where_the_lake_has_it() -> None:
    places = {str(lake.ROOT / place) for place in lake.PLACES.values()}
    parts = {place.replace("{part}", "generations/${key}") for place in places}
    parts |= {place.replace("{part}", "generations/${item.next}") for place in places}
    parts |= {place.replace("{part}", "evaluation/${item}") for place in places}
    for part in (lake.BASELINE, *lake.EVALUATIONS.values()):
        parts |= {place.replace("{part}", part) for place in places}
    parts |= {place.replace("{part}", "generations/000") for place in places}
    for model in (*lake.LINT_MODELS, "${item}"):
        parts |= {place.replace("{model}", model) for place in places}
    for stage in PIPELINE:
        for kind in ("outs", "metrics", "plots"):
            for entry in definition(stage).get(kind, []):
                path = entry if isinstance(entry, str) else next(iter(entry))
                known = path in parts or any(place.startswith(f"{path}/") for place in parts)
                assert known, f"{stage}: {path}"


def test_heavy_packages_are_imported_where_they_belong() -> None:
    """torch in adapters and generation alone; no file system in the pure packages."""
    for file in sorted((REPOSITORY / "coral_batch").rglob("*.py")):
        name = file.relative_to(REPOSITORY)
        package = name.parts[1]
        tree = ast.parse(file.read_text())
        roots = {
            (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        if package not in {"adapters", "generation"}:
            assert not roots & {"torch", "transformers", "peft"}, name
        if package in {"automata", "evidence", "evolution", "linteval", "objectives"}:
            assert not roots & {"os", "io", "pathlib", "shutil", "tempfile", "subprocess"}, name


def test_only_the_lake_names_a_path_of_the_lake() -> None:
    for file in sorted((REPOSITORY / "coral_batch").rglob("*.py")) + sorted(
        (REPOSITORY / "stages").glob("*.py")
    ):
        if file.name == "lake.py":
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not Path(node.value[:80]).match("lake/*"), f"{file}: {node.value!r}"
