"""Where a stage stands in `dvc repro`, which itself does not say how many are to come."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from coral_batch.lake.params import changed
from coral_batch.work.progress import say

PIPELINE, PARAMS = Path("dvc.yaml"), Path("params.yaml")
HERE = Path(__file__).resolve().parents[2]
"""The folder of the code that runs, which may be another than the working directory."""


def say_place(stage: str) -> None:
    """Say which of how many stages a stage is; nothing if dvc.yaml has forms that are not ours."""
    # A user may add any stage that DVC accepts, and this line must stop none.
    with contextlib.suppress(Exception):
        stages = order()
        say(f"stage {stages.index(stage) + 1} of {len(stages)}")


def code_check(stage: str) -> Callable[[], None]:
    """Return a check that the code of a stage has not changed since this call.

    DVC would record what the stage made as made by the code that stands there at its end. The check
    raises `CoralError`.
    """
    files: list[Path] = []
    # DVC names the file too if it was started in another folder.
    name = stage.rpartition(":")[2].partition("@")[0]
    with contextlib.suppress(Exception):  # as in `say_place`
        entry = YAML(typ="safe").load(PIPELINE)["stages"][name]
        for dep in entry.get("do", entry)["deps"]:
            if dep.startswith(("coral_batch/", "stages/", "schemas/")):
                place = HERE / dep
                files += place.rglob("*") if place.is_dir() else [place]
    # Not hidden files, which editors write, nor compiled ones.
    left = [file for file in files if file.name[0] != "." and file.suffix != ".pyc"]
    before = {file: file.read_bytes() for file in left if file.is_file()}

    def check() -> None:
        for file, known in before.items():
            if not file.is_file() or file.read_bytes() != known:
                raise changed(file)

    return check


def order() -> list[str]:
    """Return the stages of dvc.yaml in the order in which `dvc repro` runs them.

    That is the file's order, but each stage after the stages that it depends on (a depth-first
    search, as DVC does it).
    """
    yaml = YAML(typ="safe")
    content, values = yaml.load(PIPELINE), yaml.load(PARAMS)
    for variables in content.get("vars", ()):
        for name, value in variables.items():
            values[name] = values.get(name, {}) | value
    stages = dict(_expanded(content["stages"], values))
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        deps, _ = stages[name]
        for other, (_, outs) in stages.items():
            if other == name or other in found:
                continue
            if any(_meet(dep, out) for dep in deps for out in outs):
                visit(other)
        found[name] = None

    for name in stages:
        if name not in found:
            visit(name)
    return list(found)


def _expanded(stages: dict[str, Any], values: dict[str, Any]) -> Any:
    """Yield name and (deps, outs) of each stage, one for each item of a `foreach`."""
    for name, stage in stages.items():
        if "foreach" not in stage:
            yield name, _files(stage, "", {})
            continue
        items: Any = values
        for key in stage["foreach"].strip("${}").split("."):
            items = items[key]
        for key, item in items.items():
            yield f"{name}@{key}", _files(stage["do"], key, item)


def _files(stage: dict[str, Any], key: str, item: Any) -> tuple[list[str], list[str]]:
    """Return the files of the lake that a stage reads and writes, for an item of its `foreach`."""
    names = {"${key}": key, **{f"${{item.{name}}}": str(value) for name, value in item.items()}}
    written = [*stage.get("outs", ()), *stage.get("metrics", ())]
    found = []
    for entries in (stage.get("deps", ()), written):
        files = [next(iter(entry)) if isinstance(entry, dict) else entry for entry in entries]
        for name, value in names.items():
            files = [file.replace(name, value) for file in files]
        found.append([file for file in files if file.startswith("lake/")])
    return found[0], found[1]


def _meet(dep: str, out: str) -> bool:
    """Whether one is the other or lies in it."""
    return f"{dep}/".startswith(f"{out}/") or f"{out}/".startswith(f"{dep}/")
