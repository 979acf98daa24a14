import pytest

if pytest.use_correct:
    from correct_python_programs.minimum_spanning_tree import (
        minimum_spanning_tree)
else:
    from python_programs.minimum_spanning_tree import minimum_spanning_tree


def test_no_edges():
    assert minimum_spanning_tree({}) == set()


def test_one_edge():
    assert minimum_spanning_tree({('p', 'q'): 4}) == {('p', 'q')}


def test_tree_is_kept_whole():
    tree = {(0, 1): 5, (1, 2): 1, (3, 1): 2}
    assert minimum_spanning_tree(tree) == set(tree)


def test_heaviest_edge_of_a_triangle_goes():
    triangle = {('a', 'b'): 1, ('a', 'c'): 2, ('b', 'c'): 3}
    assert minimum_spanning_tree(triangle) == {('a', 'b'), ('a', 'c')}


def test_heaviest_edge_of_a_square_goes():
    square = {(1, 2): 9, (2, 3): 1, (3, 4): 2, (4, 1): 3}
    assert minimum_spanning_tree(square) == {(2, 3), (3, 4), (4, 1)}


def test_two_clusters_are_joined_once():
    graph = {
        (1, 2): 1, (1, 3): 2, (2, 3): 7,
        (4, 5): 3, (4, 6): 4, (5, 6): 8,
        (1, 4): 5, (3, 6): 6,
    }
    expected = {(1, 2), (1, 3), (4, 5), (4, 6), (1, 4)}
    assert minimum_spanning_tree(graph) == expected
