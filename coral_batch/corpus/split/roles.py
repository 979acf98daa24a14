"""Which problems may be used for training, selection and evaluation.

The stages that train and select check the roles again. `coral_batch.corpus.split.overlap` finds
training programs that are copies of evaluation programs.

With `evaluation.problems: all` training problems are evaluated at the end as well. The stage
reports it, and every score has its problem's role.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from coral_batch.errors import CoralError, apart
from coral_batch.lake import path
from coral_batch.records.problem import Problem, Role, program_of

ROLES = ("training", "test", "held_out")
LEAKED = "too similar to"
"""The start of the reason for which `coral_batch.corpus.split.overlap` excludes a problem."""


def make_manifest(sources: Iterable[Sequence[Role]]) -> list[Role]:
    """Join the roles of all sources.

    Raises:
        CoralError: two problems have the same name.
    """
    manifest: dict[str, Role] = {}
    for row in (row for rows in sources for row in rows):
        if row.name in manifest:
            raise CoralError(
                "two problems have the same name",
                field=row.name,
                found=f"in {manifest[row.name].source} and in {row.source}",
                expected="names that are unique across sources",
                action="rename one of them, or remove a source (corpus.sources)",
            )
        manifest[row.name] = row
    return list(manifest.values())


def check_complete(manifest: Sequence[Role]) -> None:
    """Raise `CoralError` unless every role has a problem."""
    leaked = "; ".join(
        f"{row.name}: {row.reason}" for row in manifest if row.reason.startswith(LEAKED)
    )
    for role in ROLES:
        if not any(row.role == role for row in manifest):
            raise CoralError(
                f"the corpus has no {role} problem",
                file="params.yaml",
                field="corpus.sources",
                found=leaked or ", ".join(dict.fromkeys(row.source for row in manifest)),
                expected="a source with problems of each role",
                action="change the roles of a source, or add a source; see docs/corpora.md",
            )


def exclude(manifest: Sequence[Role], reasons: Mapping[str, str]) -> list[Role]:
    """Return the manifest with the problems of `reasons` excluded, each for its reason."""
    return [
        replace(row, role="excluded", reason=reasons[row.name]) if row.name in reasons else row
        for row in manifest
    ]


def select(problems: Sequence[Problem], manifest: Sequence[Role], role: str) -> list[Problem]:
    """Return the problems of one role, after checking the manifest against them.

    Raises:
        CoralError: a problem has no role, or its content changed after the manifest was made.
    """
    corpus = {problem.name: problem.sha256 for problem in problems}
    made_for = {row.name: row.sha256 for row in manifest}
    for name in (*made_for, *corpus):
        found, expected = (one.get(name, "no such problem") for one in (corpus, made_for))
        if found != expected:
            raise apart(f"{name} of SHA-256 {expected}; the corpus has {found}", path("manifest"))
    by_name = {problem.name: problem for problem in problems}
    return [by_name[row.name] for row in manifest if row.role == role]


def select_evaluation(
    problems: Sequence[Problem], manifest: Sequence[Role], which: str
) -> list[Problem]:
    """Return the problems that the base model and the best genome are evaluated on at the end.

    Args:
        problems: the corpus.
        manifest: their roles.
        which: ``held_out``, or ``all`` for every role but ``excluded``.

    Raises:
        CoralError: as in `select`.
    """
    roles = ROLES if which == "all" else (which,)
    return [problem for role in roles for problem in select(problems, manifest, role)]


def check_roles(names: Iterable[str], manifest: Sequence[Role], role: str) -> None:
    """Raise `CoralError` unless all problems have a role; an injected bug has its program's."""
    roles = {row.name: row.role for row in manifest}
    wrong = sorted(name for name in set(names) if roles.get(program_of(name)) != role)
    if wrong:
        raise CoralError(
            "contamination: problems of another role",
            field=", ".join(wrong),
            found=[roles.get(program_of(name), "not in the split") for name in wrong],
            expected=f"{role} problems",
            action="run `dvc repro`, which assigns the roles again",
        )
