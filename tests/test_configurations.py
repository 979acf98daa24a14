"""The table of measured configurations, on which searches are replayed."""

from itertools import islice

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.configurations import genes, place, points
from coral_batch.lake import params
from coral_batch.search.mapping.mapping import decode
from tests import REPOSITORY

CANDIDATES = params.load(REPOSITORY / "params.yaml").candidates
UNIT = st.floats(0, 1)


def test_points_are_always_the_same_and_each_adapter_comes_once():
    first = list(islice(points(CANDIDATES), 216))
    assert list(islice(points(CANDIDATES), 20)) == first[:20]
    assert len({configuration for configuration, _ in first}) == 216


@given(st.tuples(UNIT, UNIT, UNIT, UNIT), st.tuples(UNIT, UNIT, UNIT, UNIT))
def test_configurations_stand_in_one_place_if_adapter_and_temperature_are_the_same(one, other):
    pairs = decode(np.array([one, other]), CANDIDATES)
    places = [place(genes(*pair), CANDIDATES) for pair in pairs]
    assert all(0 <= axis <= 1 for at in places for axis in at)
    alike = {(adapter, knobs.temperature) for adapter, knobs in pairs}
    assert (len(alike) == 1) == (places[0] == places[1])
