"""The table of measured configurations, on which searches are replayed."""

import sys
from itertools import combinations, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import configurations
from benchmarks.configurations import genes, of_the_best, place, points
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


@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), min_size=2, max_size=7),
    st.integers(1, 7),
)
def test_the_best_by_a_measure_is_the_mean_over_all_draws(pairs, tried):
    tried = min(tried, len(pairs))
    seen, values = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    means = []
    for drawn in combinations(range(len(pairs)), tried):
        best = max(seen[list(drawn)])
        means.append(values[seen == best].mean())
    assert np.isclose(of_the_best(seen, values, tried), np.mean(means))


def test_the_table_that_is_kept_is_summed_up(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["configurations", "--summary"])
    configurations.main()
    assert "rank correlation" in capsys.readouterr().out


def test_fewer_adapters_than_a_search_tries_are_not_summed_up(tmp_path, monkeypatch, capsys):
    short = tmp_path / "short.csv"
    short.write_text("".join(configurations.FILE.read_text().splitlines(keepends=True)[:8]))
    monkeypatch.setattr(configurations, "FILE", short)
    monkeypatch.setattr(sys, "argv", ["configurations", "--summary"])
    with pytest.raises(SystemExit):
        configurations.main()
    assert "fewer than 8 adapters" in capsys.readouterr().err
