import pytest
from node import Node

if pytest.use_correct:
    from correct_python_programs.detect_cycle import detect_cycle
else:
    from python_programs.detect_cycle import detect_cycle


def linked(length):
    """Return the nodes of a linked list without a cycle."""
    nodes = [Node('same value') for _ in range(length)]
    for before, after in zip(nodes, nodes[1:]):
        before.successor = after
    return nodes


def test_empty_list_ends():
    assert detect_cycle(None) is False


def test_single_node_ends():
    assert detect_cycle(Node('only')) is False


def test_two_nodes_end():
    assert detect_cycle(linked(2)[0]) is False


def test_long_list_ends():
    assert detect_cycle(linked(7)[0]) is False


def test_node_that_follows_itself():
    node = Node('loop')
    node.successor = node
    assert detect_cycle(node) is True


def test_last_node_leads_to_the_first():
    nodes = linked(4)
    nodes[3].successor = nodes[0]
    assert detect_cycle(nodes[0]) is True


def test_last_node_leads_to_the_middle():
    nodes = linked(5)
    nodes[4].successor = nodes[2]
    assert detect_cycle(nodes[0]) is True
