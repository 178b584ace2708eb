"""The search compared with a loop over all splits."""

from itertools import pairwise

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, ID3, Dataset, Leaf, grow
from ftree.criteria import checked, entropy, gain, gain_ratio, gini
from ftree.splitters import multiway, subset, threshold
from ftree.stop import max_depth
from ftree.testing import datasets
from ftree.tree.splits import Multiway, Subset, Threshold, child_of


def every_split(dataset, families):
    """All splits of the root that the families allow, lowest feature first, then lowest threshold."""
    for number, (feature, column) in enumerate(zip(dataset.schema.features, dataset.columns, strict=True)):
        known = column[~np.isnan(column)] if column.dtype.kind == "f" else column[column >= 0]
        present = sorted(set(known.tolist()))
        if feature.kind != "nominal" and threshold in families:
            yield from (Threshold(number, (low + high) / 2) for low, high in pairwise(present))
        if feature.kind == "nominal" and multiway in families and len(present) > 1:
            yield Multiway(number, present)


def score_of(dataset, split, score, impurity):
    child = child_of(split, dataset.columns[split.feature])
    known = child >= 0
    table = np.zeros((split.n_children, len(dataset.schema.classes)))
    np.add.at(table, (child[known], dataset.labels[known]), 1)
    return float(score(table, impurity)) * known.mean()


@given(datasets(missing=True), st.sampled_from([entropy, gini]), st.sampled_from([gain, gain_ratio]))
def test_the_first_of_the_best_splits_is_chosen(dataset, impurity, score):
    policy = evolve(ID3, impurity=impurity, score=score, stop=max_depth(1))
    levels = []
    grow(dataset, policy, trace=levels.append)
    allowed = list(every_split(dataset, {multiway, threshold}))
    if not allowed:
        assert levels[0].splits == (None,)
        return
    scores = [score_of(dataset, split, score, impurity) for split in allowed]
    best_of = {}
    for split, value in zip(allowed, scores, strict=True):
        best_of[split.feature] = max(best_of.get(split.feature, value), value)
    feature = min(f for f, value in best_of.items() if value >= max(scores) - 1e-9)
    first = next(
        split
        for split, value in zip(allowed, scores, strict=True)
        if split.feature == feature and value >= best_of[feature] - 1e-9
    )
    assert levels[0].splits == (first,)
    assert levels[0].gain[0] == pytest.approx(score_of(dataset, first, gain, impurity))


def test_where_two_families_tie_the_first_one_splits():
    data = Dataset.from_rows([["a"], ["b"]], [0, 1])
    assert isinstance(grow(data, evolve(ID3, splits=(multiway(), subset()))).root.split, Multiway)
    assert isinstance(grow(data, evolve(ID3, splits=(subset(), multiway()))).root.split, Subset)


def test_three_classes_try_the_order_of_each():
    rows = [["a"]] * 6 + [["b"]] * 6 + [["c"]] * 6
    labels = [0] * 3 + [1] * 3 + [0] * 3 + [1] * 3 + [2] * 6
    assert grow(Dataset.from_rows(rows, labels), CART).root.split == Subset(0, (0, 1))


def test_a_family_looks_only_at_the_kinds_it_takes():
    data = Dataset.from_rows([["a", 1.0], ["b", 2.0]], [0, 1])
    assert grow(data, evolve(ID3, splits=(threshold(),))).root.split == Threshold(1, 1.5)
    words = Dataset.from_rows([["a"], ["b"]], [0, 1])
    assert grow(words, evolve(ID3, splits=(threshold(),))).root == Leaf((1, 1))


def test_an_answer_is_one_number_for_each_node():
    assert checked(gini, np.array([0.5]), (1,)).tolist() == [0.5]
    for wrong in (np.zeros(2), np.array(["x"]), np.array([np.nan])):
        with pytest.raises(ValueError, match="gini"):
            checked(gini, wrong, (1,))


def test_the_cases_of_a_table_are_its_rows_by_weight():
    data = Dataset.from_columns({"x": [1.0, None, 2.0], "class": [0, 1, 1]})
    weighted = evolve(data, weights=np.array([2, 0, 3]))
    assert (data.n_cases, weighted.n_cases) == (3, 5)
    assert (data.gaps(), data.complete().gaps()) == ({0}, set())
