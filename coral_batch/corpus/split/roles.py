"""Who may be trained on and who may be evaluated on.

The sets are CORAL-X's authoritative split of QuixBugs; overlaps are refused when this module is
imported. `check_training`, `check_selection` and `check_evaluation` are called again by the stages
that train, select and evaluate. `coral_batch.corpus.split.overlap` guards against a training program that
is an evaluation program in disguise.

One setting lets training problems through, knowingly: with `evaluation.problems: all` they are
measured at the end as well. The stage then says so, and every score of theirs has their role.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from coral_batch.errors import CoralError
from coral_batch.records.problem import Problem, Role

TRAINING = frozenset(
    {
        "bitcount",
        "bucketsort",
        "find_first_in_sorted",
        "find_in_sorted",
        "flatten",
        "gcd",
        "get_factors",
        "hanoi",
        "is_valid_parenthesization",
        "knapsack",
        "kth",
        "levenshtein",
        "lis",
        "longest_common_subsequence",
        "max_sublist_sum",
        "mergesort",
        "pascal",
        "powerset",
        "quicksort",
        "reverse_linked_list",
        "rpn_eval",
        "shunting_yard",
        "sqrt",
        "subsequences",
    }
)
TEST = frozenset(
    {
        "kheapsort",
        "lcs_length",
        "next_palindrome",
        "next_permutation",
        "possible_change",
        "sieve",
        "to_base",
        "wrap",
    }
)
HELD_OUT = frozenset(
    {
        "breadth_first_search",
        "depth_first_search",
        "detect_cycle",
        "minimum_spanning_tree",
        "shortest_path_length",
        "shortest_path_lengths",
        "shortest_paths",
        "topological_ordering",
    }
)
ROLES = {"training": TRAINING, "test": TEST, "held_out": HELD_OUT}
NAMES = TRAINING | TEST | HELD_OUT

_REASONS = {
    "training": "one of CORAL-X's 24 training problems",
    "test": "one of CORAL-X's 8 clean test problems; fitness selects on it",
    "held_out": "a graph problem with a test file only; neither trained on nor selected on",
    "excluded": "not one of the 40 QuixBugs names",
}


def _validate_no_overlap() -> None:
    for (left, left_names), (right, right_names) in combinations(ROLES.items(), 2):
        overlap = sorted(left_names & right_names)
        if overlap:
            raise ValueError(f"contamination: {left} and {right} share {', '.join(overlap)}")


_validate_no_overlap()


def assign(problems: Sequence[Problem]) -> list[Role]:
    """Give every problem its role.

    Raises:
        CoralError: a name stands twice, or a test problem has no JSON case to be scored by.
    """
    repeated = [name for name, count in Counter(p.name for p in problems).items() if count > 1]
    if repeated:
        raise CoralError("a problem stands twice in the corpus", found=sorted(repeated))
    roles = []
    for problem in problems:
        role = role_of(problem.name)
        if role == "test" and not problem.cases:
            raise CoralError(
                "a test problem has no JSON cases",
                field=problem.name,
                expected=f"json_testcases/{problem.name}.json",
            )
        roles.append(
            Role(
                problem.name,
                role,
                _REASONS[role],
                len(problem.cases),
                problem.tests is not None,
                problem.sha256,
            )
        )
    return roles


def role_of(name: str) -> str:
    """Return ``training``, ``test``, ``held_out`` or ``excluded``."""
    return next((role for role, names in ROLES.items() if name in names), "excluded")


def select(problems: Sequence[Problem], manifest: Sequence[Role], role: str) -> list[Problem]:
    """Return the problems of one role, after checking the manifest against the split.

    Raises:
        CoralError: a problem stands in two roles, in none, or in another than the split's, or its
            content is not the one the manifest was made for.
    """
    check_manifest(manifest)
    forgotten = sorted({problem.name for problem in problems} - {row.name for row in manifest})
    if forgotten:
        raise CoralError(
            "the manifest does not name every problem of the corpus",
            field=forgotten[0],
            found="no row",
            expected="a row a problem",
            action="run `dvc repro --force split`",
        )
    by_name = {problem.name: problem for problem in problems}
    chosen = []
    for row in manifest:
        if row.role != role:
            continue
        problem = by_name.get(row.name)
        if problem is None or problem.sha256 != row.sha256:
            raise CoralError(
                "the manifest was made for another corpus",
                field=row.name,
                found=None if problem is None else problem.sha256,
                expected=row.sha256,
                action="run `dvc repro split`",
            )
        chosen.append(problem)
    return chosen


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


def check_manifest(manifest: Sequence[Role]) -> None:
    """Raise `CoralError` unless every problem has exactly the role of the split."""
    seen: dict[str, str] = {}
    for row in manifest:
        if row.name in seen:
            raise CoralError(
                "contamination: a problem is in two roles",
                field=row.name,
                found=(seen[row.name], row.role),
                expected=f"{role_of(row.name)} alone",
                action="run `dvc repro --force split`",
            )
        seen[row.name] = row.role
        if row.role != role_of(row.name):
            raise CoralError(
                "contamination: a problem is in the wrong role",
                field=row.name,
                found=row.role,
                expected=role_of(row.name),
                action="run `dvc repro --force split`",
            )


def check_training(names: Iterable[str]) -> None:
    """Raise `CoralError` if anything but a training problem is about to be trained on."""
    _check_names(names, "training", "trained on")


def check_selection(names: Iterable[str]) -> None:
    """Raise `CoralError` if anything but a test problem is about to be selected on."""
    _check_names(names, "test", "selected on")


def check_evaluation(names: Iterable[str], which: str) -> list[str]:
    """Check the problems that the base model and the best genome are measured on at the end.

    Args:
        names: of the problems.
        which: ``held_out``, or ``all``, which lets problems through that were trained on.

    Returns:
        Those that were trained on, sorted; none but with ``all``.

    Raises:
        CoralError: a problem is not of the roles that `which` stands for.
    """
    names = set(names)
    if which != "all":
        _check_names(names, which, "measured")
        return []
    if strangers := sorted(names - NAMES):
        raise CoralError("not to be measured: no problem of the split", field=", ".join(strangers))
    return sorted(names & TRAINING)


def _check_names(names: Iterable[str], role: str, what: str) -> None:
    wrong = sorted(set(names) - ROLES[role])
    if wrong:
        raise CoralError(
            f"contamination: not to be {what}",
            field=", ".join(wrong),
            found=[role_of(name) for name in wrong],
            expected=f"{role} problems",
        )
