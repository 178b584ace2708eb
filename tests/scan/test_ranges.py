"""Ranges are in order of node, feature and value, however they are put together; another order is refused."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ftree.scan.ranges import Ranges, in_chunks

# Nodes, features and values; a missing value comes last.
KEYS = st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from([-np.inf, -1.5, 0.0, 2.0, np.inf, np.nan]))
ROWS = st.sets(KEYS).map(lambda keys: sorted(keys, key=lambda key: (*key[:2], np.isnan(key[2]), key[2])))


def ranges_of(keys):
    node, feature, value = (np.array(column) for column in zip(*keys, strict=True)) if keys else np.zeros((3, 0))
    number = np.arange(len(keys))
    return Ranges(node.astype(int), feature.astype(int), number, value, np.full(len(keys), -np.inf), np.stack([number] * 2, 1))


def rows_of(ranges):
    return list(map(repr, zip(ranges.node.tolist(), ranges.feature.tolist(), ranges.value.tolist(), strict=True)))


@given(ROWS, st.randoms(use_true_random=False), st.integers(1, 4))
def test_pieces_of_ranges_are_put_in_order(keys, random, n_pieces):
    whole, piece = ranges_of(keys), np.array([random.randrange(n_pieces) for _ in keys], dtype=int)
    found = Ranges.in_order([whole.taken(piece == number) for number in random.sample(range(n_pieces), n_pieces)])
    assert rows_of(found) == rows_of(whole)
    assert found.counts.tolist() == whole.counts.tolist()


@given(ROWS.filter(bool), st.data())
def test_ranges_in_another_order_are_refused(keys, data):
    again = data.draw(st.integers(0, len(keys) - 1))
    other = data.draw(st.permutations(keys) | st.just([*keys[: again + 1], *keys[again:]]))
    assume(other != keys)
    with pytest.raises(ValueError, match="must be in order of node, feature and value"):
        ranges_of(other)


@given(ROWS.filter(bool), st.integers(1, 9), st.data())
def test_chunks_are_whole_runs_that_follow_each_other(keys, most, data):
    ranges, sizes = ranges_of(keys), np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(keys), max_size=len(keys))))
    chunks = list(ranges.chunks(sizes, most))
    assert [row for rows in chunks for row in range(rows.start, rows.stop)] == list(range(len(keys)))
    runs = [set(ranges.run()[rows].tolist()) for rows in chunks]
    assert sum(map(len, runs)) == len(set.union(*runs))


@example([9, 1, 1], 10)
@given(st.lists(st.integers(0, 9), min_size=1), st.integers(1, 20))
def test_a_chunk_of_runs_has_less_than_the_most_before_its_last_run(sizes, most):
    chunks = list(in_chunks(np.array(sizes), most))
    assert [at for low, high in chunks for at in range(low, high)] == list(range(len(sizes)))
    assert all(sum(sizes[low : high - 1]) < most or high - low == 1 for low, high in chunks)
