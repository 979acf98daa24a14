import pytest
from node import Node

if pytest.use_correct:
    from correct_python_programs.topological_ordering import (
        topological_ordering)
else:
    from python_programs.topological_ordering import topological_ordering


def build(names, edges):
    """Return the nodes of a graph in the order of their names."""
    nodes = {name: Node(name) for name in names}
    for tail, head in edges:
        nodes[tail].outgoing_nodes.append(nodes[head])
        nodes[head].incoming_nodes.append(nodes[tail])
    return list(nodes.values())


def in_order(names, edges):
    """Order a graph and tell whether the result is a valid ordering."""
    result = [node.value for node in topological_ordering(build(names, edges))]
    if sorted(result) != sorted(names):
        return False
    return all(result.index(a) < result.index(b) for a, b in edges)


def test_no_nodes():
    assert topological_ordering([]) == []


def test_nodes_without_edges():
    assert in_order('abc', [])


def test_path_against_the_given_order():
    assert in_order('abc', ['cb', 'ba'])


def test_tree():
    assert in_order('gfedcba', ['ab', 'ac', 'bd', 'be', 'cf', 'cg'])


def test_diamond():
    assert in_order('dcba', ['ab', 'ac', 'bd', 'cd'])


def test_edge_that_skips_a_level():
    assert in_order('abcde', ['ab', 'ad', 'bc', 'cd', 'de', 'ae'])


def test_two_components():
    assert in_order('pqabr', ['ap', 'aq', 'pq', 'br'])
