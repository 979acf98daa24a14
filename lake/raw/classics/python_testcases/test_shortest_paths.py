import pytest

if pytest.use_correct:
    from correct_python_programs.shortest_paths import shortest_paths
else:
    from python_programs.shortest_paths import shortest_paths


def test_source_alone():
    assert shortest_paths('s', {}) == {'s': 0}


def test_edges_in_the_order_of_the_path():
    edges = {('s', 'a'): 2, ('a', 'b'): 3, ('b', 'c'): -1}
    assert shortest_paths('s', edges) == {'s': 0, 'a': 2, 'b': 5, 'c': 4}


def test_edges_against_the_order_of_the_path():
    edges = {('c', 'd'): 1, ('b', 'c'): -4, ('a', 'b'): 3, ('s', 'a'): 2}
    expected = {'s': 0, 'a': 2, 'b': 5, 'c': 1, 'd': 2}
    assert shortest_paths('s', edges) == expected


def test_node_out_of_reach():
    edges = {('s', 'a'): 1, ('z', 'a'): 1}
    assert shortest_paths('s', edges) == {'s': 0, 'a': 1, 'z': float('inf')}


def test_late_bargain_is_passed_on():
    edges = {('b', 'c'): 1, ('s', 'b'): 4, ('s', 'a'): 6, ('a', 'b'): -5}
    assert shortest_paths('s', edges) == {'s': 0, 'a': 6, 'b': 1, 'c': 2}


def test_edges_are_left_as_they_were():
    edges = {('s', 'a'): 7, ('s', 'b'): 1, ('b', 'a'): 1}
    before = dict(edges)
    assert shortest_paths('s', edges) == {'s': 0, 'a': 2, 'b': 1}
    assert edges == before
