"""Packages that programs in the jail may import besides the standard library."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, PackageNotFoundError, packages_distributions
from pathlib import Path

from coral_batch.errors import CoralError


def name_of(package: str) -> str:
    """Return by what name a package is imported; see `mounts`."""
    return Path(package).name.removesuffix(".py")


def is_path(package: str) -> bool:
    """Whether a package is the path of one rather than the name of an installed one."""
    return os.sep in package or package.endswith(".py")


def mounts(packages: Sequence[str]) -> dict[str, Path]:
    """Return what the jail needs for packages: name in its folder for them -> file or folder.

    Args:
        packages: each the path of a module or of a package's folder, or the name of a package that
            is installed beside coral-batch, which brings what it requires.

    Raises:
        CoralError: there is no such package.
    """
    found: dict[str, Path] = {}
    for package in packages:
        path = Path(package)
        if is_path(package):
            if not path.is_file() and not (path / "__init__.py").is_file():
                raise _missing(package, "the path of a module or of a package's folder")
            if found.setdefault(path.name, path.resolve()) != path.resolve():
                raise CoralError(
                    "two packages have one name",
                    field=f"--allow {package}",
                    found=str(found[path.name]),
                )
            continue
        spec = PathFinder.find_spec(package, sys.path)
        if spec is None or not package.isidentifier():
            raise _missing(package, "a package that is installed beside coral-batch, or a path")
        where = [*(spec.submodule_search_locations or ()), *([spec.origin] if spec.origin else ())]
        found[Path(where[0]).name] = Path(where[0])
        for name in packages_distributions().get(package, ()):
            for one in _with_required(Distribution.from_name(name), set()):
                found |= dict(_contents(one))
    return found


def _missing(package: str, expected: str) -> CoralError:
    return CoralError("there is no such package", field=f"--allow {package}", expected=expected)


def _with_required(distribution: Distribution, seen: set[str]) -> Iterator[Distribution]:
    """Yield a distribution and those that it requires, as far as they are installed."""
    if distribution.name in seen:
        return
    from packaging.requirements import Requirement  # noqa: PLC0415 (not for every worker)

    seen.add(distribution.name)
    yield distribution
    for requirement in map(Requirement, distribution.requires or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            try:
                required = Distribution.from_name(requirement.name)
            except PackageNotFoundError:
                continue
            yield from _with_required(required, seen)


def _contents(distribution: Distribution) -> Iterator[tuple[str, Path]]:
    """Yield the files and folders at the top of what a distribution installed."""
    for name in sorted(
        {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}
    ):
        path = Path(str(distribution.locate_file(name)))
        if path.exists() and path.suffix != ".pth":
            yield name, path
