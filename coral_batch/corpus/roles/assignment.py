"""Assign roles to a source's problems: by CORAL-X's sets, one for all, by a file, or by shares."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from coral_batch.corpus.roles import coralx
from coral_batch.corpus.sources.rows import ROLES_FILE, read_rows
from coral_batch.errors import CoralError
from coral_batch.records.problem import Problem, Role, Suite
from coral_batch.records.settings import Shares, Source

Given = Mapping[str, tuple[str, str]]
"""Problem -> its role and the reason."""


def assign(problems: Sequence[Problem], name: str, source: Source) -> list[Role]:
    """Assign a role to every problem of a source; those in `source.exclude` are excluded.

    `source.roles` is ``quixbugs`` for CORAL-X's sets of QuixBugs' 40 names; a role, for all
    problems; ``file`` for the rows ``{"name": ..., "role": ...}`` of `ROLES_FILE` in the source's
    folder; or shares: the SHA-256 of a problem's name decides, or of its file's path in a project,
    so adding problems changes no role and functions of one module get the same.

    Args:
        problems: the source's problems.
        name: the source's name.
        source: its settings.

    Raises:
        CoralError: one of QuixBugs' 40 names is missing; the file is missing, broken or empty; or
            the file or `exclude` names an unknown problem.
    """
    if unknown := sorted(set(source.exclude) - {problem.name for problem in problems}):
        raise CoralError(
            "exclude names an unknown problem",
            file="params.yaml",
            field=f"corpus.sources.{name}.exclude",
            found=", ".join(unknown),
            expected=f"names of the {len(problems)} problems of {source.path}",
        )
    given = dict(_given(problems, source))
    given |= dict.fromkeys(source.exclude, ("excluded", "excluded by name (corpus.sources)"))
    return [
        Role(
            problem.name,
            name,
            *given[problem.name],
            _judged(problem),
            problem.sha256,
        )
        for problem in problems
    ]


def _judged(problem: Problem) -> str:
    if isinstance(problem.tests, Suite):
        return "pytest"
    return "cases" if problem.cases else "test file"


def _given(problems: Sequence[Problem], source: Source) -> Given:
    if isinstance(source.roles, Shares):
        return {problem.name: _by_shares(problem, source.roles) for problem in problems}
    if source.roles == "quixbugs":
        return _by_quixbugs(problems, Path(source.path))
    if source.roles == "file":
        return _by_file(problems, Path(source.path))
    of_all = (source.roles, "the role of its whole source (corpus.sources)")
    return {problem.name: of_all for problem in problems}


def _by_shares(problem: Problem, shares: Shares) -> tuple[str, str]:
    group = problem.tests.file if isinstance(problem.tests, Suite) else problem.name
    digest = hashlib.sha256(group.encode()).digest()
    place = int.from_bytes(digest[:8]) / 2**64
    if place < shares.training:
        role = "training"
    elif place < shares.training + shares.test:
        role = "test"
    else:
        role = "held_out"
    return role, f"the hash of {group} maps to {place:.4f} in [0, 1)"


def _by_quixbugs(problems: Sequence[Problem], path: Path) -> Given:
    if missing := sorted(coralx.NAMES - {problem.name for problem in problems}):
        raise CoralError(
            "a source lacks problems of QuixBugs",
            file=path,
            found=f"{len(problems)} programs, without {', '.join(missing)}",
            expected=f"the {len(coralx.NAMES)} QuixBugs programs",
            action="if it is another corpus, give it other roles in params.yaml (corpus.sources)",
        )
    roles = {problem.name: coralx.role_of(problem.name) for problem in problems}
    return {name: (role, coralx.REASONS[role]) for name, role in roles.items()}


def _by_file(problems: Sequence[Problem], path: Path) -> Given:
    if not path.is_dir():
        raise CoralError(
            "a source with roles from a file must be a folder",
            file=path,
            found="a file",
            expected=f"a folder with the source and {ROLES_FILE}",
            action=f"move it and {ROLES_FILE} into a folder of their own",
        )
    given = {problem.name: ("excluded", f"not named in {ROLES_FILE}") for problem in problems}
    for where, row in read_rows(path / ROLES_FILE, lambda _: "roles", "name"):
        if row["name"] not in given:
            raise CoralError(
                f"{ROLES_FILE} assigns a role to an unknown problem",
                file=path / ROLES_FILE,
                field=f"{where}, name",
                found=row["name"],
                expected=f"one of the {len(given)} problems",
            )
        given[row["name"]] = (row["role"], f"its row in {ROLES_FILE}")
    return given
