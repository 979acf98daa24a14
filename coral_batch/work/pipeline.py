"""Where a stage stands in `dvc repro`, which itself does not say how many are to come."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from coral_batch.lake.hashes import file_sha256
from coral_batch.lake.params import changed
from coral_batch.work.progress import say

PIPELINE, PARAMS = Path("dvc.yaml"), Path("params.yaml")


def say_place(stage: str) -> None:
    """Say which of how many stages a stage is; nothing if dvc.yaml has forms that are not ours."""
    # A user may add any stage that DVC accepts, and this line must stop none.
    with contextlib.suppress(Exception):
        stages = order()
        say(f"stage {stages.index(stage) + 1} of {len(stages)}")


@contextlib.contextmanager
def same_code(stage: str) -> Iterator[None]:
    """Refuse what a stage made if its code changed meanwhile.

    DVC would record it as made by the code that stands there at the end.

    Raises:
        CoralError: the code changed, and the stage would end with success.
    """
    before = _code_of(stage)
    try:
        yield
    except SystemExit as end:
        if end.code == 0:
            for file, _ in sorted(before.items() ^ _code_of(stage).items()):
                raise changed(file) from None
        raise


def _code_of(stage: str) -> dict[Path, str]:
    """Return the files of code that a stage depends on, each with its SHA-256."""
    with contextlib.suppress(Exception):  # as in `say_place`
        entry = YAML(typ="safe").load(PIPELINE)["stages"][stage.partition("@")[0]]
        deps = [Path(dep) for dep in entry.get("do", entry)["deps"] if not dep.startswith("lake/")]
        files = [file for dep in deps for file in (dep.rglob("*") if dep.is_dir() else [dep])]
        return {
            file: file_sha256(file)
            for file in files
            if file.is_file() and file.parent.name != "__pycache__"
        }
    return {}


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
