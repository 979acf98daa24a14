"""What the split holds, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coral_batch.corpus.split.overlap import Overlap
from coral_batch.corpus.split.roles import ROLES
from coral_batch.records.problem import Role


@dataclass(frozen=True)
class Share:
    problems: int
    share: float


@dataclass(frozen=True)
class JsonCases:
    problems: int
    without: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """An evaluation problem and the most similar one that is trained or selected on.

    Attributes:
        evaluation: name of the evaluation problem.
        other: name of the other problem.
        similarity: of their references, in [0, 1].
    """

    evaluation: str
    other: str
    similarity: float


@dataclass(frozen=True)
class Statistics:
    total: int
    training: Share
    test: Share
    held_out: Share
    excluded: Share
    json_cases: JsonCases
    near_duplicates: tuple[Pair, ...]


def describe(manifest: Sequence[Role], overlaps: Sequence[Overlap]) -> Statistics:
    """Count the roles, and name the program most similar to each evaluation program."""
    roles = [row.role for row in manifest]
    shares = {
        role: Share(roles.count(role), roles.count(role) / len(manifest))
        for role in (*ROLES, "excluded")
    }
    without = tuple(row.name for row in manifest if not row.cases)
    closest: dict[str, Overlap] = {}
    for row in sorted(overlaps, key=lambda row: (row.similarity, row.other)):
        closest[row.evaluation] = row
    return Statistics(
        total=len(manifest),
        **shares,
        json_cases=JsonCases(len(manifest) - len(without), without),
        near_duplicates=tuple(
            Pair(name, closest[name].other, closest[name].similarity)
            for name in dict.fromkeys(row.evaluation for row in overlaps)
        ),
    )
