"""Errors that users see, in tests."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from coral_batch.errors import CoralError


@contextmanager
def refused(*words: object) -> Iterator[None]:
    """Expect a `CoralError` that says all of these words."""
    with pytest.raises(CoralError) as caught:
        yield
    assert [word for word in words if str(word) not in str(caught.value)] == [], caught.value
