"""Which problems may be used for training, selection and evaluation.

The stages that train, select and evaluate call `check_training`, `check_selection` and
`check_evaluation` again. `coral_batch.corpus.split.overlap` finds training programs that are copies
of evaluation programs. An injected bug has the role of its program.

With `evaluation.problems: all` training problems are evaluated at the end as well. The stage
reports it, and every score has its problem's role.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from coral_batch.errors import CoralError, apart, shorten
from coral_batch.lake import path
from coral_batch.records.problem import Problem, Role, program_of

ROLES = ("training", "test", "held_out")


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


def check_complete(manifest: Sequence[Role], leaked: Mapping[str, str] | None = None) -> None:
    """Raise `CoralError` unless every role has a problem.

    Args:
        manifest: the roles.
        leaked: problem -> why it was excluded.
    """
    for role in ROLES:
        if not any(row.role == role for row in manifest):
            raise CoralError(
                f"the corpus has no {role} problem",
                file="params.yaml",
                field="corpus.sources",
                found=shorten("; ".join(f"{name}: {why}" for name, why in (leaked or {}).items()))
                or ", ".join(dict.fromkeys(row.source for row in manifest)),
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
    return [problem for role in _evaluated(which) for problem in select(problems, manifest, role)]


def check_training(names: Iterable[str], manifest: Sequence[Role]) -> None:
    """Raise `CoralError` unless all are training problems."""
    _check_roles(names, manifest, ("training",), "trained on")


def check_selection(names: Iterable[str], manifest: Sequence[Role]) -> None:
    """Raise `CoralError` unless all are test problems."""
    _check_roles(names, manifest, ("test",), "selected on")


def check_evaluation(names: Iterable[str], manifest: Sequence[Role], which: str) -> list[str]:
    """Check the problems that the base model and the best genome are evaluated on at the end.

    Args:
        names: names of the problems.
        manifest: the roles.
        which: ``held_out``, or ``all``, which allows training problems.

    Returns:
        The training problems among them, sorted.

    Raises:
        CoralError: a problem does not have a role that `which` allows.
    """
    names = set(names)
    _check_roles(names, manifest, _evaluated(which), "evaluated on")
    training = {row.name for row in manifest if row.role == "training"}
    return sorted(name for name in names if program_of(name) in training)


def _evaluated(which: str) -> Sequence[str]:
    """Return the roles of the problems that are evaluated at the end."""
    return ROLES if which == "all" else (which,)


def _check_roles(
    names: Iterable[str], manifest: Sequence[Role], allowed: Sequence[str], what: str
) -> None:
    roles = {row.name: row.role for row in manifest}
    wrong = sorted(name for name in set(names) if roles.get(program_of(name)) not in allowed)
    if wrong:
        raise CoralError(
            f"contamination: must not be {what}",
            field=", ".join(wrong),
            found=[roles.get(program_of(name), "not in the split") for name in wrong],
            expected=f"{' or '.join(allowed)} problems",
        )
