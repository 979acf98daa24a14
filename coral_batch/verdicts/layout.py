"""The layout of a user's project: from where its modules are imported, and what they import."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from coral_batch.verdicts.layers import Project, installed

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([A-Za-z_][\w.]*)|(?:.*;[ \t]*)?import[ \t]+([A-Za-z_][^#;\n]*))",
    re.MULTILINE,
)


def project_of(folders: Sequence[Path], folder: Path, files: Iterable[Path]) -> Project:
    """Return a project for a jail.

    Args:
        folders: the folders to mount, none inside another.
        folder: where pytest starts.
        files: its Python files; their imports from other packages are done once for all children.
    """
    own: set[str] = set()
    imported: set[str] = set()
    files = list(files)
    # Where imports begin; pytest adds the folders of tests.
    begins = {*folders, folder, folder / "src"}
    begins |= {file.parent for file in files if "test" in file.stem}
    for file in files:
        root = import_root(file)
        name = file.relative_to(root).with_suffix("").parts[0]
        if root in begins or name not in installed():
            own.add(name)
        if not os.access(file, os.R_OK):  # pytest says so if it needs the file
            continue
        found = _IMPORT.findall(file.read_bytes())
        for names in (one for either in found for one in either):
            listed = (one.split() for one in names.decode(errors="replace").split(","))
            imported.update(words[0] for words in listed if words)
    modules = sorted(name for name in imported if name.partition(".")[0] not in own)
    return Project(tuple(map(str, folders)), str(folder), tuple(modules), tuple(sorted(own)))


def package_roots(files: Iterable[Path]) -> list[Path]:
    """Return the folders from which files in packages are imported."""
    return sorted({import_root(file) for file in files if (file.parent / "__init__.py").exists()})


def import_root(file: Path) -> Path:
    """Return the folder that a file is imported from: the parent of its outermost package."""
    folder = file.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def shadows(root: Path, start: Path) -> bool:
    """Whether a folder, in front of the environment, would hide installed modules.

    So would `clients`, where only ``clients.redis`` is imported. The folder where pytest starts and
    its ``src`` may: there a project's own modules lie.
    """
    if root in (start, start / "src"):
        return False
    return any(
        one.stem in installed()
        for one in root.iterdir()
        if one.suffix == ".py" or os.path.exists(one / "__init__.py")  # noqa: PTH110
    )
