import pytest
from read_duration import read_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("45s", 45), ("2m", 120), ("1h30m", 5400), ("1h1m1s", 3661), ("", 0), ("10m5s", 605)],
)
def test_a_duration_is_its_seconds(text, seconds):
    assert read_duration(text) == seconds


def test_what_is_no_duration_is_refused():
    with pytest.raises(ValueError, match="no duration"):
        read_duration("5x")
    with pytest.raises(ValueError, match="no unit"):
        read_duration("5")
