import pytest
from node import Node

if pytest.use_correct:
    from correct_python_programs.shortest_path_length import (
        shortest_path_length)
else:
    from python_programs.shortest_path_length import shortest_path_length


def build(edges):
    """Return the nodes by name and the edge lengths of a graph."""
    nodes = {name: Node(name) for pair in edges for name in pair}
    lengths = {}
    for (tail, head), length in edges.items():
        nodes[tail].successors.append(nodes[head])
        lengths[nodes[tail], nodes[head]] = length
    return nodes, lengths


def test_way_to_itself_has_length_zero():
    nodes, lengths = build({('a', 'b'): 3})
    assert shortest_path_length(lengths, nodes['a'], nodes['a']) == 0


def test_single_edge():
    nodes, lengths = build({('a', 'b'): 3})
    assert shortest_path_length(lengths, nodes['a'], nodes['b']) == 3


def test_no_way_back():
    nodes, lengths = build({('a', 'b'): 3})
    found = shortest_path_length(lengths, nodes['b'], nodes['a'])
    assert found == float('inf')


def test_detour_is_shorter_than_the_direct_edge():
    edges = {('a', 'b'): 2, ('b', 'c'): 2, ('a', 'c'): 7}
    nodes, lengths = build(edges)
    assert shortest_path_length(lengths, nodes['a'], nodes['c']) == 4


def test_direct_edge_is_shorter_than_the_detour():
    edges = {('a', 'c'): 5, ('a', 'b'): 3, ('b', 'c'): 3}
    nodes, lengths = build(edges)
    assert shortest_path_length(lengths, nodes['a'], nodes['c']) == 5


def test_cycle_on_the_way():
    edges = {('a', 'b'): 1, ('b', 'a'): 1, ('b', 'c'): 6, ('b', 'd'): 2,
             ('d', 'c'): 2, ('c', 'e'): 1}
    nodes, lengths = build(edges)
    assert shortest_path_length(lengths, nodes['a'], nodes['e']) == 6


def test_search_in_a_cycle_ends():
    edges = {('a', 'b'): 1, ('b', 'c'): 1, ('c', 'b'): 1}
    nodes, lengths = build(edges)
    found = shortest_path_length(lengths, nodes['a'], Node('apart'))
    assert found == float('inf')
