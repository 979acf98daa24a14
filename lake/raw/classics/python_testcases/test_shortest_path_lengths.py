import pytest

if pytest.use_correct:
    from correct_python_programs.shortest_path_lengths import (
        shortest_path_lengths)
else:
    from python_programs.shortest_path_lengths import shortest_path_lengths


INFINITY = float('inf')


def test_no_nodes():
    assert shortest_path_lengths(0, {}) == {}


def test_nodes_without_edges():
    expected = {(0, 0): 0, (0, 1): INFINITY, (1, 0): INFINITY, (1, 1): 0}
    assert shortest_path_lengths(2, {}) == expected


def test_detour_beats_the_edge():
    lengths = shortest_path_lengths(3, {(0, 1): 4, (1, 2): 1, (0, 2): 9})
    assert lengths[0, 2] == 5
    assert lengths[2, 0] == INFINITY


def test_path_against_the_numbering():
    lengths = shortest_path_lengths(4, {(0, 3): 2, (3, 2): 2, (2, 1): 2})
    assert lengths[0, 1] == 6
    assert lengths[3, 1] == 4


def test_negative_edge():
    lengths = shortest_path_lengths(3, {(0, 1): 5, (0, 2): 3, (2, 1): -2})
    assert lengths[0, 1] == 1


def test_cycle_joins_all_nodes():
    edges = {(0, 2): 1, (2, 4): 1, (4, 1): 1, (1, 3): 1, (3, 0): 1}
    lengths = shortest_path_lengths(5, edges)
    assert [lengths[0, j] for j in range(5)] == [0, 3, 1, 4, 2]
    assert [lengths[3, j] for j in range(5)] == [1, 4, 2, 0, 3]
