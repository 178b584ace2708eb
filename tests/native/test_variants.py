"""What a function of the native library computes does not depend on the processor that it is compiled for."""

from functools import cache

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Dataset, entropy, grow, native, optimal, predict
from ftree.exact import Limits
from ftree.native import build
from ftree.study import extra_trees, random_forest

pytestmark = pytest.mark.skipif(
    build.is_off() or len(native.variants()) < 2, reason="this processor runs one variant of the library: it has no AVX2"
)
# Functions with loops that compilers vectorise.
HOT = {"grow_lanes", "pairs_int32", "triples_int32"}
HOT |= {"quarters", "two_classes", "depth_two", "depth_three"}


@pytest.fixture(scope="module")
def called():
    """The names of functions that are called, while each call is made by all variants, which must give the same bits."""
    names, prepared = set(), native.prepared

    def by_all(name, *first):
        newest, *others = (prepared(name, variant=each) for each in reversed(native.variants()))

        def call(*last):
            arguments = [*first, *last]
            copies = [[each.copy() if isinstance(each, np.ndarray) else each for each in arguments] for _ in others]
            result = newest(*arguments)
            for other, own in zip(others, copies, strict=True):
                assert other(*own) == result, name
                for array, same in zip(arguments, own, strict=True):
                    assert np.asarray(array).tobytes() == np.asarray(same).tobytes(), name
            names.add(name)
            return result

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "prepared", by_all)
        patch.setattr(native, "_called", cache(by_all))
        yield names


@given(st.integers(500, 700), st.integers(4, 6), st.sampled_from([1, 3, 1000]), st.integers(0, 2**32))
def test_all_variants_give_the_same_bits(called, n, f, distinct, seed):
    random = np.random.default_rng(seed)
    x, words = random.integers(0, distinct + 1, (n, f)) / 3, random.choice(list("abc"), (n // 4, f))
    grow(Dataset.from_rows(x, random.normal(size=n)), CART, n_jobs=1)
    for k in (2, 3):
        labels = random.integers(0, k, n).astype(str)
        table = Dataset.from_rows(x, labels)
        for policy in (CART, evolve(CART, impurity=entropy)):
            predict(grow(table, policy, n_jobs=1), table)
        for forest in (random_forest, extra_trees):
            forest(table, n_trees=1, n_jobs=1)
        for depth in (2, 4):
            optimal(Dataset.from_rows(words, labels[: len(words)]), max_depth=depth, limits=Limits(states=3))
    assert called >= HOT
