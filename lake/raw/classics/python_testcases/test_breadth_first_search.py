import pytest
from node import Node

if pytest.use_correct:
    from correct_python_programs.breadth_first_search import (
        breadth_first_search)
else:
    from python_programs.breadth_first_search import breadth_first_search


def chain(length):
    """Return the nodes of a graph that is one path."""
    nodes = [Node(str(i)) for i in range(length)]
    for tail, head in zip(nodes, nodes[1:]):
        tail.successors = [head]
    return nodes


def test_node_reaches_itself():
    lone = Node('lone')
    assert breadth_first_search(lone, lone) is True


def test_direct_successor_is_reached():
    nodes = chain(2)
    assert breadth_first_search(nodes[0], nodes[1]) is True


def test_end_of_a_path_is_reached():
    nodes = chain(6)
    assert breadth_first_search(nodes[0], nodes[5]) is True


def test_edges_lead_one_way():
    nodes = chain(4)
    assert breadth_first_search(nodes[3], nodes[0]) is False


def test_goal_behind_a_cycle_is_reached():
    nodes = chain(5)
    nodes[2].successors = [nodes[0], nodes[3]]
    assert breadth_first_search(nodes[0], nodes[4]) is True


def test_search_in_a_cycle_ends():
    nodes = chain(4)
    nodes[3].successors = [nodes[1]]
    assert breadth_first_search(nodes[0], Node('apart')) is False
