import pytest
from node import Node

if pytest.use_correct:
    from correct_python_programs.depth_first_search import depth_first_search
else:
    from python_programs.depth_first_search import depth_first_search


def test_node_reaches_itself():
    lone = Node('lone')
    assert depth_first_search(lone, lone) is True


def test_node_with_successors_reaches_itself():
    leaf = Node('leaf')
    root = Node('root', successors=[leaf])
    assert depth_first_search(root, root) is True


def test_deep_goal_is_reached():
    goal = Node('goal')
    deep = Node('deep', successors=[goal])
    root = Node('root', successors=[Node('dead end'), deep])
    assert depth_first_search(root, goal) is True


def test_goal_in_the_first_branch_is_reached():
    goal = Node('goal')
    near = Node('near', successors=[goal, Node('other')])
    root = Node('root', successors=[near, Node('dead end')])
    assert depth_first_search(root, goal) is True


def test_other_component_is_not_reached():
    root = Node('root', successors=[Node('leaf')])
    assert depth_first_search(root, Node('apart')) is False


def test_predecessor_is_not_reached():
    leaf = Node('leaf')
    root = Node('root', successors=[leaf])
    assert depth_first_search(leaf, root) is False


def test_search_in_a_cycle_ends():
    first, second, third = Node(1), Node(2), Node(3)
    first.successors = [second]
    second.successors = [third]
    third.successors = [first]
    assert depth_first_search(first, Node(4)) is False
