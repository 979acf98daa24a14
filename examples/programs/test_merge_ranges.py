from merge_ranges import merge_ranges


def test_ranges_that_touch_are_joined():
    assert merge_ranges([[1, 3], [3, 5]]) == [[1, 5]]
    assert merge_ranges([[1, 9], [2, 3]]) == [[1, 9]]


def test_ranges_apart_stay_apart():
    assert merge_ranges([[5, 6], [1, 2]]) == [[1, 2], [5, 6]]
    assert merge_ranges([]) == []
