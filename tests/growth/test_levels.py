"""Levels of growth: what a choice may answer, what is reported, and levels by hand."""

from itertools import pairwise

import numpy as np
import pytest
from attrs import evolve

from ftree import ID3, Dataset, Leaf, Tree, grow
from ftree._lib.arrays import offsets
from ftree.growth import EngineSetup, Growth, plain, search_settings, step
from ftree.growth.assemble import root_of
from ftree.stop import pure

ROWS = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["c", 1], ["c", 1]]
TABLE = Dataset.from_rows(ROWS, [0, 1, 1, 0, 1, 1], kinds={"x1": "numeric"})


def test_a_choice_that_excludes_all_leaves_a_leaf_and_one_of_another_shape_is_refused():
    def nothing(candidates):
        return np.full(len(candidates.score), -np.inf)

    assert grow(TABLE, evolve(ID3, choose=nothing)).root == Leaf((2, 4))
    with pytest.raises(ValueError, match="must return"):
        grow(TABLE, evolve(ID3, choose=lambda candidates: candidates.score[:1]))


def test_a_trace_gets_read_only_arrays_and_splits_as_objects():
    seen = []
    grow(TABLE, evolve(ID3, stop=pure()), trace=seen.append)
    assert [type(level.splits) for level in seen] == [tuple] * 3
    for level in seen:
        for name in ("counts", "gain", "keys"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(level, name)[...] = 0


def test_a_line_tells_open_nodes_and_the_share_of_cases_in_leaves(capsys):
    grow(TABLE, ID3, engine="plain", progress=True)
    lines = [line.strip() for line in capsys.readouterr().err.split("\r")]
    assert lines == [
        "",
        "level 0: 1 open nodes, 0% of the cases done",
        "level 1: 2 open nodes, 33% of the cases done",
        "level 2: 0 open nodes, 100% of the cases done",
    ]


def test_levels_by_hand_make_the_tree_and_their_counts_add_up():
    policy = evolve(ID3, stop=pure())
    growth = Growth(TABLE.schema.features, policy, search_settings(policy, TABLE))
    engine, found = plain(TABLE, EngineSetup()), [None]
    while found[-1] is None or found[-1].open.any():
        level, engine = step(growth, engine, found[-1])
        found.append(level)
    assert Tree(TABLE.schema, root_of(found[1:])) == grow(TABLE, growth.policy)
    traced = []
    grow(TABLE, growth.policy, trace=traced.append)
    for above, below in pairwise(traced):
        assert np.array_equal(above.child_counts, below.counts)
        assert np.array_equal(np.add.reduceat(below.counts, offsets(above.n_children[above.open])[:-1]), above.counts[above.open])
