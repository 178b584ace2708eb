"""Every feature's best split: the textbooks' gains, and the choice of growth at the root."""

import re
from math import log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from ftree import C45, CART, CHAID, ID3, Branch, Dataset, Feature, Leaf, Schema, evolve, grow, scores
from ftree.criteria import entropy, gain, gain_ratio, significance, split_information
from ftree.criteria.costs import factors
from ftree.datasets import weather
from ftree.explain import FeatureScore
from ftree.explain.counted_levels import counted_levels
from ftree.splitters import (
    JointSplitter,
    ignore,
    merging,
    monotonic,
    multiway,
    oblique,
    random_threshold,
    threshold,
)
from ftree.stop import never
from ftree.testing import datasets, policies
from ftree.tree.splits import primary


def test_the_gains_of_the_weather_are_those_of_the_textbooks():
    found = [(row.feature, round(row.gain, 3), round(row.gain_ratio, 3), round(row.p_value, 3)) for row in scores(weather())]
    assert found[0] == ("outlook", 0.247, 0.156, 0.17)
    assert [row[:2] for row in found[1:]] == [("humidity", 0.152), ("windy", 0.048), ("temperature", 0.029)]


def test_scores_print_as_a_table_and_as_html():
    table = scores(weather())
    assert repr(table).splitlines()[3].startswith("windy        0.0481  0.0488      0.334    windy = False (2, 6), ")
    assert re.search("<td[^>]*>windy</td><td[^>]*>0.0481</td>", table._repr_html_())
    assert len(table) == 4
    assert "score" not in str(table).splitlines()[0]


def test_scores_that_are_no_gains_have_a_column():
    header, first, *_ = str(scores(weather(), evolve(ID3, score=gain_ratio))).splitlines()
    assert header.split()[:3] == ["feature", "score", "gain"]
    assert first.split()[:3] == ["outlook", "0.156", "0.247"]


def test_missing_values_and_weights_are_counted_as_in_growth():
    data = Dataset.from_columns({"x": ["a", "a", "b", None], "class": [0, 0, 1, 1]}, weights=[2, 0, 2.5, 1])
    row = scores(data).rows[0]
    assert row.children == (("x = a", (2, 0)), ("x = b", (0, 2.5)))
    root = grow(data, evolve(ID3, stop=never)).root
    assert row.split == root.split


def two_kinds_of_values():
    """Two features of six values, of which three have nearly all cases of one class."""
    values = [value for value in "abcdef" for _ in range(20)]
    labels = [value in "abc" for value in values]
    labels[0], labels[-1] = False, True
    columns = {"free": values, "ordered": values, "class": labels}
    return Dataset.from_columns(columns, target="class", kinds={"ordered": tuple("abcdef")})


@pytest.mark.parametrize("bonferroni", [True, False])
def test_scores_by_CHAID_are_corrected_for_the_ways_to_merge(bonferroni):
    """Six values merge into two groups, in 31 ways of a nominal feature and in 5 of an ordinal one."""
    table = scores(two_kinds_of_values(), evolve(CHAID, splits=(merging(bonferroni=bonferroni),)))
    found = {row.feature: row for row in table}
    assert [len(row.children) for row in table] == [2, 2]
    alone = 10 ** -float(significance(np.array([counts for _, counts in found["free"].children])))
    ways = {"free": 31, "ordered": 5} if bonferroni else {"free": 1, "ordered": 1}
    for name, row in found.items():
        assert row.p_value == pytest.approx(alone * ways[name], rel=1e-6, abs=0)
        assert row.score == pytest.approx(-log10(alone * ways[name]))
    assert [row.feature for row in table] == (["ordered", "free"] if bonferroni else ["free", "ordered"])


def test_a_split_that_CHAID_refuses_is_that_of_its_merged_values():
    """Two of three values merge, and the two groups differ significantly, unless corrected for the three ways to merge."""
    counts = {"a": (10, 10), "b": (10, 10), "c": (3, 12)}
    rows = [(value, label) for value, of in counts.items() for label, n in enumerate(of) for _ in range(n)]
    data = Dataset.from_rows([[value] for value, _ in rows], [label for _, label in rows], kinds="nominal")
    (row,) = scores(data, CHAID)
    assert [counts for _, counts in row.children] == [(20, 20), (3, 12)]
    assert 0.05 < row.p_value == pytest.approx(3 * 10 ** -float(significance(np.array([[20, 20], [3, 12]]))))
    assert isinstance(grow(data, CHAID).root, Leaf)


def test_splits_of_several_features_are_left_out():
    policy = evolve(C45, splits=(*C45.splits, oblique()))
    assert repr(scores(weather(), policy)) == repr(scores(weather(), C45))


def test_a_feature_without_a_split_gains_nothing_comes_last_and_has_the_lowest_score():
    table = scores(Dataset.from_columns({"same": [1, 1], "x": [1, 2], "class": [0, 1]}))
    assert repr(table).splitlines()[2] == "same     0     0                    no split"
    _, row = table
    assert row == FeatureScore("same", None, 0.0, 0.0, 1.0, (), -np.inf)
    assert row == FeatureScore("same", None, gain=0.0, gain_ratio=0.0, p_value=1.0, children=[]), "which is the default"


def test_features_come_in_the_order_of_the_policys_choice_and_then_of_their_scores():
    """The features are outlook, temperature, humidity and windy, and temperature has the lowest gain."""

    def order(choose):
        return [row.feature for row in scores(weather(), evolve(ID3, choose=choose))]

    assert order(lambda candidates: candidates.feature * 1e-3) == ["windy", "humidity", "temperature", "outlook"]
    assert order(lambda candidates: candidates.feature % 2) == ["temperature", "windy", "outlook", "humidity"]


@pytest.mark.parametrize(("scale", "first"), [(1e-10, "low"), (2e-9, "high")])
def test_features_whose_scores_differ_by_rounding_only_stay_in_order(scale, first):
    """Scores that agree in nine decimal places are ties."""

    def score(children, _impurity):
        return 1 + scale * children[..., 0, 0]

    data = Dataset.from_columns({"low": list("abbb"), "high": list("aabb"), "class": [0, 0, 1, 1]})
    assert scores(data, evolve(ID3, score=score)).rows[0].feature == first


def gappy(n=40):
    """A feature with a gap in every fifth row."""
    values = [None if row % 5 == 0 else "ab"[row % 3 == 0] for row in range(n)]
    return Dataset.from_columns({"x": values, "class": [row % 3 == 0 or row % 7 == 0 for row in range(n)]})


@pytest.mark.parametrize("weighed", [{}, {"priors": (0.9, 0.1)}, {"costs": ((0, 1), (4, 0))}], ids=["plain", "priors", "costs"])
def test_a_gain_ratio_is_of_weighed_classes_and_counts_unknown_cases_as_a_child(weighed):
    data = gappy()
    (row,) = scores(data, evolve(ID3, **weighed))
    counts = np.array([counts for _, counts in row.children], float)
    weights = factors(data.class_counts(), weighed.get("priors"), weighed.get("costs")) if weighed else np.ones(2)
    assert counts.sum() == 32
    share = (counts * weights).sum() / (data.class_counts() * weights).sum()
    information = share * split_information(counts) + entropy([share, 1 - share])
    assert row.gain_ratio == pytest.approx(gain(counts * weights, entropy) * share / information)


@given(datasets(missing=True, weighted=True), policies() | st.sampled_from([C45, CART, CHAID, evolve(ID3, stop=never)]))
def test_the_first_of_the_scores_is_the_root_of_the_tree(data, policy):
    """Splits by several features are none of the scores."""
    root = grow(data, policy).root
    if isinstance(root, Branch) and not any(isinstance(splitter, JointSplitter) for splitter in policy.splits):
        best = scores(data, policy).rows[0]
        assert best.feature == data.schema.features[primary(root.split).features[0]].name
        assert best.split == primary(root.split) or data != data.complete() or policy not in (CART, evolve(ID3, stop=never))


TWO_NUMBERS = Schema([Feature("x", "numeric"), Feature("y", "numeric")], "class", ("no", "yes"))


@given(datasets(schema=TWO_NUMBERS, min_rows=6), st.sampled_from([1, -1]))
def test_the_first_of_the_scores_at_any_node_is_its_split_by_a_policy_with_inherited_state(data, direction):
    """Nodes of one level inherit different bounds of the shares of classes."""
    policy = evolve(ID3, splits=(monotonic({"x": 1, "y": direction}, ID3.splits),), stop=never)
    for level in counted_levels(grow(data, policy), data, policy):
        for number, (_, node) in enumerate(level.nodes):
            assert isinstance(node, Leaf) or level.scores(number).rows[0].split == node.split


def test_a_p_value_of_merging_is_that_of_known_cases():
    """A score is multiplied by the share of known cases, and a p-value is not."""
    (row,) = scores(gappy(), evolve(CHAID, missing=ignore(), splits=(merging(), threshold())))
    counts = np.array([counts for _, counts in row.children], float)
    assert row.score == pytest.approx(float(significance(counts)) * 32 / 40)
    assert row.p_value == pytest.approx(10 ** -float(significance(counts)))


def test_a_p_value_is_pearsons_if_another_splitter_takes_the_feature_too():
    for row in scores(two_kinds_of_values(), evolve(CHAID, splits=(merging(), multiway(), threshold()))):
        counts = np.array([counts for _, counts in row.children], float)
        assert row.p_value == pytest.approx(chi2_contingency(counts, correction=False).pvalue, rel=1e-6, abs=0)


def test_known_cases_that_count_nothing_leave_the_p_value_of_the_counts():
    silent = type("Silent", (), {"discount": staticmethod(lambda share: 0 * share)})()
    (row,) = scores(gappy(), evolve(CHAID, missing=silent, splits=(merging(),)))
    assert (row.score, row.gain_ratio) == (0, 0)
    assert 0 < row.p_value < 1


def test_random_splitters_score_what_growth_draws_at_the_root():
    policy = evolve(ID3, splits=(random_threshold(seed=3),), stop=never)
    data = Dataset.from_columns({"x": np.arange(50.0), "class": np.arange(50) % 7 > 2})
    assert scores(data, policy).rows[0].split == grow(data, policy).root.split
