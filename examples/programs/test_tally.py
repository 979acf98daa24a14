from tally import tally


def test_names_are_ranked_by_votes():
    assert tally(["b", "a", "b"], 1) == ["b", "a"]
    assert tally(["b", "a"], 1) == ["a", "b"]


def test_names_with_few_votes_are_left_out():
    assert tally(["b", "a", "b", "c"], 2) == ["b"]
    assert tally([], 1) == []
