"""The roles of a source's problems: by CORAL-X's sets, all the same, by a file, or by shares."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from coral_batch.corpus.sources import quixbugs
from coral_batch.corpus.sources.text import read_text
from coral_batch.errors import CoralError
from coral_batch.lake import strictjson
from coral_batch.lake.schemas import first_error, validator
from coral_batch.records.bug import task_of
from coral_batch.records.problem import Problem
from coral_batch.records.settings import Shares

QUIXBUGS, FILE = "quixbugs", "file"
ROLES_FILE = "roles.jsonl"


def assign(
    problems: Sequence[Problem], roles: str | Shares, path: Path, exclude: Sequence[str] = ()
) -> list[Problem]:
    """Give every problem of a source its role.

    Args:
        problems: what was read.
        roles: ``quixbugs`` for CORAL-X's sets of QuixBugs' 40 names; a role, for all problems;
            ``file`` for the rows ``{"name": ..., "role": ...}`` of `ROLES_FILE` in the source's
            folder; or shares, into which a problem falls by the SHA-256 of its name, so that it
            stays where it is when others are added. Functions of one module fall together, and
            so do solutions of one task of DebugBench.
        path: where the source lies.
        exclude: names of problems that nobody is to use, whatever `roles` says.

    Raises:
        CoralError: one of QuixBugs' 40 names is missing, or a test problem among them has no JSON
            cases; the file is missing or broken, or names what is no problem, or nobody; `exclude`
            names what is no problem.
    """
    if unknown := sorted(set(exclude) - {problem.name for problem in problems}):
        raise CoralError(
            "a problem is excluded that is not there",
            file="params.yaml",
            field="corpus.sources: exclude",
            found=", ".join(unknown),
            expected=f"names of the {len(problems)} problems of {path}",
        )
    reason = "excluded by name (corpus.sources)"
    return [
        replace(problem, role="excluded", reason=reason) if problem.name in exclude else problem
        for problem in _assigned(problems, roles, path)
    ]


def _assigned(problems: Sequence[Problem], roles: str | Shares, path: Path) -> list[Problem]:
    if isinstance(roles, Shares):
        return [_by_shares(problem, roles) for problem in problems]
    if roles == QUIXBUGS:
        return _by_quixbugs(problems, path)
    if roles == FILE:
        return _by_file(problems, path)
    reason = "the role of all of its source (corpus.sources)"
    return [replace(problem, role=roles, reason=reason) for problem in problems]


def _by_shares(problem: Problem, shares: Shares) -> Problem:
    group = _group(problem)
    digest = hashlib.sha256(group.encode()).digest()
    place = int.from_bytes(digest[:8]) / 2**64
    if place < shares.training:
        role = "training"
    elif place < shares.training + shares.test:
        role = "test"
    else:
        role = "held_out"
    return replace(problem, role=role, reason=f"the hash of {group} is {place:.4f} of 1")


def _group(problem: Problem) -> str:
    """Return what a problem's name begins with as do those of the same program, or the same task.

    Several functions of one module, and several solutions of one task of DebugBench, are not to
    give one another away.
    """
    return task_of(problem.name.removesuffix(f"_{problem.function.replace('.', '_')}"))


def _by_quixbugs(problems: Sequence[Problem], path: Path) -> list[Problem]:
    missing = sorted(quixbugs.NAMES - {problem.name for problem in problems})
    if missing:
        raise CoralError(
            "a source lacks problems of QuixBugs",
            file=path,
            found=f"{len(problems)} programs, without {', '.join(missing)}",
            expected=f"the {len(quixbugs.NAMES)} QuixBugs programs",
            action="give the source other roles in params.yaml (corpus.sources) if it is another "
            "corpus",
        )
    assigned = []
    for problem in problems:
        role = quixbugs.role_of(problem.name)
        if role == "test" and not problem.cases:
            raise CoralError(
                "a test problem has no JSON cases",
                file=path,
                field=problem.name,
                expected=f"json_testcases/{problem.name}.json",
            )
        assigned.append(replace(problem, role=role, reason=quixbugs.REASONS[role]))
    return assigned


def _by_file(problems: Sequence[Problem], path: Path) -> list[Problem]:
    if not path.is_dir():
        raise CoralError(
            "a source whose roles stand in a file is a folder",
            file=path,
            found="a file",
            expected=f"a folder with the source and {ROLES_FILE}",
            action=f"move it into a folder of its own, and {ROLES_FILE} beside it",
        )
    file = path / ROLES_FILE
    names = {problem.name for problem in problems}
    roles: dict[str, str] = {}
    check = validator("roles")
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        row = strictjson.parse(line, file, f"line {number}")
        error = first_error(check, row, f"line {number}")
        if error is not None:
            raise CoralError("a row gives no role", file=file, **error)
        if row["name"] not in names or row["name"] in roles:
            known = row["name"] in names
            raise CoralError(
                "a problem is given two roles"
                if known
                else "a role of a problem that is not there",
                file=file,
                field=f"line {number}, name",
                found=row["name"],
                expected="each problem once" if known else f"one of the {len(names)} problems",
            )
        roles[row["name"]] = row["role"]
    if not roles:
        raise CoralError(
            "the file of roles names nobody",
            file=file,
            expected='a row {"name": ..., "role": ...} per problem',
        )
    return [
        replace(problem, role=roles[problem.name], reason=f"its row in {ROLES_FILE}")
        if problem.name in roles
        else replace(problem, role="excluded", reason=f"not named in {ROLES_FILE}")
        for problem in problems
    ]
