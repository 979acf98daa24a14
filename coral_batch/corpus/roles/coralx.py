"""CORAL-X's authoritative split of QuixBugs' 40 names."""

from __future__ import annotations

_SPLIT = {
    "training": """
        bitcount bucketsort find_first_in_sorted find_in_sorted flatten gcd get_factors
        hanoi is_valid_parenthesization knapsack kth levenshtein lis
        longest_common_subsequence max_sublist_sum mergesort pascal powerset quicksort
        reverse_linked_list rpn_eval shunting_yard sqrt subsequences
    """,
    "test": """
        kheapsort lcs_length next_palindrome next_permutation possible_change sieve
        to_base wrap
    """,
    "held_out": """
        breadth_first_search depth_first_search detect_cycle minimum_spanning_tree
        shortest_path_length shortest_path_lengths shortest_paths topological_ordering
    """,
}
ROLES = {role: frozenset(names.split()) for role, names in _SPLIT.items()}
TRAINING, TEST, HELD_OUT = ROLES.values()
NAMES = TRAINING | TEST | HELD_OUT
if len(NAMES) < sum(map(len, ROLES.values())):
    raise ValueError("CRITICAL: training, test and held-out problems overlap")

REASONS = {
    "training": "one of CORAL-X's 24 training problems",
    "test": "one of CORAL-X's 8 clean test problems; fitness selects on it",
    "held_out": "a graph problem with a test file only; neither trained on nor selected on",
    "excluded": "not one of the 40 QuixBugs names",
}


def role_of(name: str) -> str:
    """Return ``training``, ``test``, ``held_out`` or, of any other name, ``excluded``."""
    return next((role for role, names in ROLES.items() if name in names), "excluded")
