"""The native library lists cuts as NumPy does."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Feature, native
from ftree.criteria import entropy, gain
from ftree.splitters import Runs, cuts

pytestmark = pytest.mark.skipif(not native.is_here(), reason="NumPy lists all cuts at once")


def runs_of(sizes, n_classes, seed, dtype=np.float64):
    """Runs of rows in the order of one feature, with class counts."""
    n, counts = sum(sizes), np.random.default_rng(seed).integers(0, 4, (sum(sizes), n_classes)).astype(dtype)
    run = Runs.of_one(Feature("x", "numeric"), np.arange(n), counts)
    return run.regrouped(np.zeros(len(sizes), np.intp), np.array(sizes))


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=6).map(np.array),
    st.integers(2, 9),
    st.integers(1, 7),
    st.integers(0, 99),
    st.sampled_from([np.float64, np.int64]),
)
def test_cuts_in_blocks_are_those_of_all_runs(sizes, n_classes, block, seed, dtype):
    runs, seen = runs_of(sizes, n_classes, seed, dtype), []
    _, left, right = cuts.every_cut(runs)
    plain = cuts.best_cuts(runs, lambda children: gain(children, entropy))

    def measure(children):
        assert children.dtype == dtype
        seen.extend(children.tolist())
        return gain(children, entropy)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "_BLOCK", block)
        found = cuts._best_in_blocks(runs, measure)
    assert seen == np.stack([left, right], axis=1).tolist()
    assert found.score == pytest.approx(plain.score)
    assert (found.below.tolist(), found.n_cuts.tolist()) == (plain.below.tolist(), plain.n_cuts.tolist())


@pytest.mark.parametrize(("n_classes", "together"), [(2, False), (7, False), (8, True), (20, True)])
def test_eight_classes_or_more_lie_next_to_each_other_so_that_sums_round_as_those_of_one_row(n_classes, together):
    runs, seen = runs_of(np.array([5, 4]), n_classes, 0), []

    def measure(children):
        seen.append(children.flags.c_contiguous)
        return gain(children, entropy)

    cuts.best_cuts(runs, measure)
    cuts._best_in_blocks(runs, measure)
    assert seen == [together] * 2


def test_counts_and_places_of_any_type_have_the_cuts_of_numpy():
    runs = runs_of(np.array([900, 700]), 3, 0, np.int64)
    wanted = cuts.best_cuts(runs, gain)
    assert (cuts.best_cuts(evolve(runs, counts=runs.counts.astype(np.int32)), gain).below == wanted.below).all()
    assert (cuts.best_cuts(evolve(runs, size=runs.size.astype(np.int32)), gain).below == wanted.below).all()
