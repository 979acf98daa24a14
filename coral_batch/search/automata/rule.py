"""Outer-totalistic rules of two-state automata in B/S notation.

A rule says for each number of living Moore neighbours (0 to 8) whether a dead cell is born and
whether a living one survives: 18 bits, 2**18 rules. ``B3/S23`` is Conway's Life. As an integer a
rule holds its birth bits in bits 0 to 8 and its survival bits in bits 9 to 17. Rules with other
neighbourhoods, more states or dependence on the neighbours' places are not covered.
"""

from __future__ import annotations

NEIGHBOURS = 8
RULE_BITS = 2 * (NEIGHBOURS + 1)


def parse_rule(notation: str) -> int:
    """Return the rule written as `notation`, e.g. ``B3/S23``, as an integer in [0, 2**18)."""
    birth, survival = (
        sum(1 << int(count) for count in counts) for counts in notation[1:].split("/S")
    )
    return birth | survival << (NEIGHBOURS + 1)


def format_rule(rule: int) -> str:
    """Return the B/S notation of `rule`, an integer in [0, 2**18)."""
    counts = range(NEIGHBOURS + 1)
    birth = "".join(str(count) for count in counts if rule >> count & 1)
    survival = "".join(str(count) for count in counts if rule >> (NEIGHBOURS + 1 + count) & 1)
    return f"B{birth}/S{survival}"
