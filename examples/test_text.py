from text import longest


def test_first():
    assert longest("to be or not") == "not"


def test_several():
    assert longest("one two") == "one"
