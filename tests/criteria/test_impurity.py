"""Impurities and scores: worked numbers, laws, and users' functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from ftree import criteria
from ftree.criteria.estimates import laplace, m_estimate
from ftree.criteria.impurity import dkm, entropy, gini, kl_divergence, misclassification, proportions, without_rounding
from ftree.criteria.scores import gain, gain_ratio, hellinger, likelihood_ratio, normalised_gain, split_information, twoing
from ftree.testing import check_impurity

WEATHER = {
    "outlook": [[4, 0], [3, 2], [2, 3]],
    "temperature": [[3, 1], [2, 2], [4, 2]],
    "humidity": [[3, 4], [6, 1]],
    "windy": [[6, 2], [3, 3]],
}
count_tables = st.integers(1, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=1, max_size=5)
)


def test_weather_has_the_entropy_of_the_textbooks():
    assert entropy([9, 5]) == pytest.approx(0.940286, abs=5e-7)


@pytest.mark.parametrize(
    ("feature", "bits"), [("outlook", 0.246750), ("temperature", 0.029223), ("humidity", 0.151836), ("windy", 0.048127)]
)
def test_weather_has_the_gains_of_the_textbooks(feature, bits):
    assert gain(WEATHER[feature]) == pytest.approx(bits, abs=5e-7)


@pytest.mark.parametrize(("children", "bits"), [([[2, 0], [1, 2]], 0.419973), ([[1, 0], [2, 2]], 0.170951)])
def test_fish_gains_what_its_essay_misprints(children, bits):
    assert entropy([3, 2]) == pytest.approx(0.970951, abs=5e-7)
    # children of "surfacing" (no, yes) and of "flippers", classes in the order no, yes
    assert gain(children) == pytest.approx(bits, abs=5e-7)


@pytest.mark.parametrize(("k", "bits"), [(2, 1.0), (3, 1.585), (8, 3.0)])
def test_entropy_is_largest_where_classes_are_equal(k, bits):
    assert entropy([5] * k) == pytest.approx(bits, abs=5e-4)


def test_an_impurity_of_ones_own_is_held_to_the_same_laws():
    check_impurity(lambda counts: np.sqrt(gini(counts)))
    with pytest.raises(AssertionError, match="pure or empty"):
        check_impurity(lambda counts: 1 - (proportions(counts) ** 2).sum(axis=-1))
    with pytest.raises(AssertionError, match="gain is never negative"):
        check_impurity(lambda counts: np.where(gini(counts) > 0, 1 - gini(counts), 0))


@given(count_tables)
def test_gain_is_never_negative(children):
    for impurity in (entropy, gini, misclassification):
        assert gain(children, impurity) >= 0


@given(count_tables)
def test_gain_is_the_mean_divergence_of_the_children_from_their_parent(children):
    table = np.array(children)
    divergence = kl_divergence(table, table.sum(axis=0))
    assert gain(children) == pytest.approx((proportions(table.sum(axis=1)) * divergence).sum(), abs=1e-9)


@given(count_tables)
def test_gain_ratio_is_gain_per_bit_of_split_information(children):
    information = split_information(children)
    assert gain_ratio(children) * information == pytest.approx(gain(children) if information > 0 else 0, abs=1e-9)
    assert 0 <= gain_ratio(children) <= 1 + 1e-9


@given(st.integers(1, 3), count_tables)
def test_scores_broadcast_over_what_comes_before(copies, children):
    stacked = np.array([children] * copies)
    for score in (gain, gain_ratio):
        assert score(stacked).tolist() == [float(score(children))] * copies
    assert split_information(stacked).shape == (copies,)


SCORES = (
    "conditional_entropy g_significance gain gain_ratio hellinger likelihood_ratio normalised_gain pearson significance "
    "split_information twoing"
)
# Splits in two children of three classes: informative, useless, with an empty child, and without cases.
SPLITS = np.array([[[3, 1, 0], [1, 3, 2]], [[2, 2, 4], [1, 1, 2]], [[5, 2, 1], [0, 0, 0]], np.zeros((2, 3))])


@pytest.mark.parametrize("name", SCORES.split())
def test_the_score_of_a_split_does_not_depend_on_the_others_in_its_level(name):
    score = getattr(criteria, name)
    wanted = [float(score(split)) for split in SPLITS]
    assert len(set(wanted)) > 1
    assert score(SPLITS).tolist() == pytest.approx(wanted, abs=1e-12)
    assert score(SPLITS.reshape(2, 2, 2, 3)).ravel().tolist() == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("name", ["dkm", "entropy", "gini", "misclassification"])
def test_the_impurity_of_a_node_does_not_depend_on_the_others_in_its_level(name):
    impurity = getattr(criteria, name)
    nodes = SPLITS[:, :, :2] if name == "dkm" else SPLITS
    wanted = [float(impurity(node)) for split in nodes for node in split]
    assert impurity(nodes).ravel().tolist() == pytest.approx(wanted, abs=1e-12)
    assert np.shape(impurity(nodes)) == (4, 2)


@given(count_tables, st.permutations(range(4)))
def test_the_order_of_classes_and_children_does_not_matter(children, order):
    table = np.array(children)
    mixed = table[::-1, [place for place in order if place < table.shape[1]]]
    assert gain(mixed) == pytest.approx(gain(table), abs=1e-9)


def test_divergence_is_infinite_where_the_reference_has_no_case():
    assert kl_divergence([1, 1], [1, 0]) == np.inf
    assert kl_divergence([0, 2], [1, 1]) == 1.0


def test_nothing_negative_leaks_from_rounding():
    assert without_rounding(-1e-13) == 0
    assert without_rounding(-1e-3) == -1e-3
    assert np.copysign(1, entropy([4, 0])) == 1, "an entropy of 0 is not -0"
    assert np.signbit(without_rounding([-0.0, -1e-16, 0.0])).tolist() == [False] * 3


def test_single_precision_is_computed_on_in_double_precision():
    assert without_rounding(np.array([0.25, -0.5], dtype=np.float32)).dtype == np.float64


def test_probabilities_are_estimated_as_published():
    assert proportions([15, 1])[0] == 0.9375
    assert laplace([15, 1])[0] == pytest.approx(0.888889, abs=5e-7)
    assert m_estimate(2, prior=(0.6, 0.4))([15, 1])[0] == pytest.approx(0.9)
    for m in (0, 0.25, 1):
        assert m_estimate(m, prior=[0.6, 0.4])([15, 1]) == pytest.approx([(15 + 0.6 * m) / (16 + m), (1 + 0.4 * m) / (16 + m)])
    assert hash(m_estimate(2, prior=[0.6, 0.4])) == hash(m_estimate(2, prior=(0.6, 0.4)))


@pytest.mark.parametrize(("m", "prior"), [(-1, (0.5, 0.5)), (2, (0.5, 0.6)), (2, (1.5, -0.5)), (2, ())])
def test_an_estimate_refuses_a_prior_that_is_no_distribution(m, prior):
    with pytest.raises(ValueError, match=r"m must be a finite number of at least 0|prior must be numbers from 0 that sum to 1"):
        m_estimate(m, prior)


@pytest.mark.parametrize("estimate", [laplace, m_estimate(2, prior=(0.6, 0.4))])
def test_an_estimate_of_many_nodes_is_that_of_each(estimate):
    level = [[[15, 1], [0, 0]], [[2, 3], [1, 7]]]
    assert estimate(level).tolist() == [[estimate(counts).tolist() for counts in nodes] for nodes in level]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: entropy([3, -1]),
        lambda: gini(3),
        lambda: laplace(-1),
        lambda: laplace("ab"),
        lambda: laplace([-0.5, 3]),
        lambda: m_estimate(2, (0.5, 0.5))(["a", "b"]),
        lambda: m_estimate(2, (0.5, 0.5))([[1, 2], [3]]),
    ],
)
def test_counts_are_numbers_from_0_with_classes_on_an_axis(ask):
    with pytest.raises(ValueError, match="classes on the last axis"):
        ask()


@pytest.mark.parametrize("score", [gain, gain_ratio, split_information])
def test_a_score_is_told_of_children_and_not_of_one_node(score):
    with pytest.raises(ValueError, match="one list for each child"):
        score([9, 5])


two_by_two = st.lists(st.lists(st.integers(0, 30), min_size=2, max_size=2), min_size=2, max_size=2)


@given(two_by_two)
def test_twoing_is_half_the_decrease_in_gini_for_two_classes(children):
    assert twoing(children) == pytest.approx(gain(children, gini) / 2, abs=1e-12)


def test_twoing_scores_splits_in_two_only():
    with pytest.raises(ValueError, match="must have 2 children, got 3"):
        twoing([[1, 0], [0, 1], [1, 1]])


@given(st.lists(st.lists(st.integers(1, 30), min_size=3, max_size=3), min_size=2, max_size=4))
def test_the_likelihood_ratio_is_that_of_the_textbooks(children):
    expected = chi2_contingency(children, correction=False, lambda_="log-likelihood").statistic
    assert likelihood_ratio(children) == pytest.approx(expected, abs=1e-6)


@given(count_tables)
def test_the_normalised_gain_divides_by_what_equal_children_could_tell(children):
    filled = max(2, sum(map(any, children)))
    assert normalised_gain(children) == pytest.approx(gain(children) / np.log2(filled), abs=1e-12)
    assert normalised_gain([*children, [0] * len(children[0])]) == normalised_gain(children)


@given(two_by_two, st.integers(1, 9))
def test_hellinger_distance_does_not_depend_on_the_size_of_a_class(children, times):
    more = [[first, second * times] for first, second in children]
    assert hellinger(more) == pytest.approx(hellinger(children), abs=1e-12)


@given(two_by_two)
def test_hellinger_distance_is_what_the_two_distributions_do_not_share(children):
    first, second = (np.array(column) for column in zip(*children, strict=True))
    if not (first.any() and second.any()):
        assert hellinger(children) == 0
        return
    shared = np.sqrt(first / first.sum() * second / second.sum()).sum()
    assert hellinger(children) == pytest.approx(np.sqrt(max(2 - 2 * shared, 0)), abs=1e-7)


def test_dkm_is_twice_the_geometric_mean_of_two_shares():
    assert dkm([1, 4]) == pytest.approx(2 * np.sqrt(0.2 * 0.8))
