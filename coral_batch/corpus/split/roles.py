"""Who may be trained on and who may be evaluated on.

`check_training`, `check_selection` and `check_evaluation` are called again by the stages that
train, select and evaluate. `coral_batch.corpus.split.overlap` guards against a training program
that is an evaluation program in disguise. An injected bug has the role of its program.

One setting lets training problems through, knowingly: with `evaluation.problems: all` they are
measured at the end as well. The stage then says so, and every score of theirs has their role.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from coral_batch.errors import CoralError
from coral_batch.records.bug import program_of
from coral_batch.records.problem import Problem, Role

ROLES = ("training", "test", "held_out")


def make_manifest(sources: Iterable[Sequence[Role]]) -> list[Role]:
    """Join the roles of all sources.

    Raises:
        CoralError: a name stands twice, or no problem has one of the roles that a run needs.
    """
    manifest: dict[str, Role] = {}
    for row in (row for rows in sources for row in rows):
        if row.name in manifest:
            raise CoralError(
                "two problems have one name",
                field=row.name,
                found=f"one in {manifest[row.name].source} and one in {row.source}",
                expected="names that are unique in all sources",
                action="rename one of them, or leave a source out (corpus.sources)",
            )
        manifest[row.name] = row
    for role in ROLES:
        if not any(row.role == role for row in manifest.values()):
            raise CoralError(
                f"the corpus has no {role} problem",
                file="params.yaml",
                field="corpus.sources",
                found=", ".join(dict.fromkeys(row.source for row in manifest.values())),
                expected="a source with problems of each role",
                action="give a source other roles, or add one; see docs/corpora.md",
            )
    return list(manifest.values())


def exclude(manifest: Sequence[Role], reasons: Mapping[str, str]) -> list[Role]:
    """Return the manifest with the problems of `reasons` excluded, each for its reason."""
    return [
        replace(row, role="excluded", reason=reasons[row.name]) if row.name in reasons else row
        for row in manifest
    ]


def select(problems: Sequence[Problem], manifest: Sequence[Role], role: str) -> list[Problem]:
    """Return the problems of one role, after checking the manifest against them.

    Raises:
        CoralError: a problem has no role, or its content is not the one the manifest was made for.
    """
    by_name = {problem.name: problem for problem in problems}
    _check_manifest(by_name, manifest)
    return [by_name[row.name] for row in manifest if row.role == role]


def select_evaluation(
    problems: Sequence[Problem], manifest: Sequence[Role], which: str
) -> list[Problem]:
    """Return the problems that the base model and the best genome are measured on at the end.

    Args:
        problems: the corpus.
        manifest: their roles.
        which: ``held_out``, or ``all`` for those of every role but ``excluded``.

    Raises:
        CoralError: as in `select`.
    """
    roles = ROLES if which == "all" else (which,)
    return [problem for role in roles for problem in select(problems, manifest, role)]


def _check_manifest(problems: Mapping[str, Problem], manifest: Sequence[Role]) -> None:
    """Raise `CoralError` unless the manifest was made for these problems."""
    corpus = {name: problem.sha256 for name, problem in problems.items()}
    made_for = {row.name: row.sha256 for row in manifest}
    for name in (*made_for, *corpus):
        found, expected = (one.get(name, "no such problem") for one in (corpus, made_for))
        if found != expected:
            raise CoralError(
                "the manifest was made for another corpus",
                field=name,
                found=found,
                expected=expected,
                action="run `dvc repro --force split`",
            )


def check_training(names: Iterable[str], manifest: Sequence[Role]) -> None:
    """Raise `CoralError` if anything but a training problem is about to be trained on."""
    _check_roles(names, manifest, "training", "trained on")


def check_selection(names: Iterable[str], manifest: Sequence[Role]) -> None:
    """Raise `CoralError` if anything but a test problem is about to be selected on."""
    _check_roles(names, manifest, "test", "selected on")


def check_evaluation(names: Iterable[str], manifest: Sequence[Role], which: str) -> list[str]:
    """Check the problems that the base model and the best genome are measured on at the end.

    Args:
        names: of the problems.
        manifest: the roles.
        which: ``held_out``, or ``all``, which lets problems through that were trained on.

    Returns:
        Those that were trained on, sorted; none but with ``all``.

    Raises:
        CoralError: a problem is not of the roles that `which` stands for.
    """
    names = set(names)
    if which != "all":
        _check_roles(names, manifest, which, "measured")
        return []
    roles = {row.name: row.role for row in manifest}
    if strangers := sorted(name for name in names if roles.get(program_of(name)) not in ROLES):
        raise CoralError("not to be measured: no problem of the split", field=", ".join(strangers))
    return sorted(name for name in names if roles[program_of(name)] == "training")


def _check_roles(names: Iterable[str], manifest: Sequence[Role], role: str, what: str) -> None:
    roles = {row.name: row.role for row in manifest}
    wrong = sorted(name for name in set(names) if roles.get(program_of(name)) != role)
    if wrong:
        raise CoralError(
            f"contamination: not to be {what}",
            field=", ".join(wrong),
            found=[roles.get(program_of(name), "no problem of the split") for name in wrong],
            expected=f"{role} problems",
        )
