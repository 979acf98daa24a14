"""Hashes of the stages' outputs, as recorded in dvc.lock and as found in the lake."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from coral_batch.errors import CoralError, reading

LOCK = Path("dvc.lock")


def recorded_md5() -> dict[str, str]:
    """Return path -> MD5 of each file and folder that a stage wrote; empty without a dvc.lock.

    Raises:
        CoralError: dvc.lock cannot be read.
    """
    try:
        stages = YAML(typ="safe").load(LOCK)["stages"].values()
        return {out["path"]: out["md5"] for stage in stages for out in stage.get("outs", ())}
    except FileNotFoundError:
        return {}
    except (YAMLError, OSError, UnicodeDecodeError, LookupError, TypeError, AttributeError):
        raise CoralError(
            "dvc.lock cannot be read", file=LOCK, action="run `coral doctor`, which says what to do"
        ) from None


def found_md5(path: Path) -> str:
    """Return the MD5 of a file, or of a folder as DVC computes it, from the list of its files.

    Raises:
        CoralError: a file cannot be read.
    """
    if path.is_file():
        with reading(path), path.open("rb") as stream:
            return hashlib.file_digest(stream, "md5").hexdigest()
    if not path.is_dir():
        return "no such file"
    files = {
        file.relative_to(path).as_posix(): file for file in path.rglob("*") if not file.is_dir()
    }
    listed = [{"md5": found_md5(files[name]), "relpath": name} for name in sorted(files)]
    return hashlib.md5(json.dumps(listed).encode(), usedforsecurity=False).hexdigest() + ".dir"
