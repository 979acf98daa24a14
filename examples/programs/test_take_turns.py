from take_turns import take_turns


def test_equal_lists_alternate():
    assert take_turns([1, 3], [2, 4]) == [1, 2, 3, 4]
    assert take_turns([], []) == []


def test_the_rest_of_the_longer_list_comes_last():
    assert take_turns([1], [2, 3, 4]) == [1, 2, 3, 4]
    assert take_turns([1, 2, 3], []) == [1, 2, 3]
