"""The checks of impurities, scores and stopping rules detect those that break a law: one for each law."""

from threading import Lock

import numpy as np
import pytest

from ftree import entropy, gain, gain_ratio, gini, misclassification
from ftree.criteria import proportions, split_information
from ftree.stop import max_depth, min_gain, min_rows, per_node, pure
from ftree.testing import check_impurity, check_rule, check_score

pytestmark = pytest.mark.usefixtures("unshrunk")
usual = pytest.mark.parametrize("unshrunk", [1], indirect=True)


def shares_in_place(counts):
    """An impurity that writes into counts that are floats."""
    counts = np.asarray(counts, dtype=np.float64)
    counts /= np.maximum(counts.sum(axis=-1, keepdims=True), 1e-9)
    return gini(counts)


def of_the_level(counts):
    """The largest impurity of a level, for each of its nodes."""
    return np.full(np.shape(counts)[:-1], np.max(gini(counts)))


def formula(counts):
    return 1 - sum((n / sum(counts)) ** 2 for n in counts) if any(counts) else 0


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (of_the_level, "a level's results are those of each alone"),
        (lambda counts: -entropy(counts), "an impurity is a finite number from 0"),
        (lambda counts: 1 - (proportions(counts) ** 2).sum(axis=-1), "of a pure or empty node is 0"),
        (lambda counts: misclassification(counts) ** 2, "gain is never negative for a concave impurity"),
        (lambda counts: gini(counts) * np.sum(counts, axis=-1), "nodes with the same shares are equally impure"),
        (lambda counts: gini(counts) * (1 + proportions(counts)[..., 0]), "the order of classes does not matter"),
        (lambda counts: gini(counts) / np.shape(counts)[-1], "a class without cases does not matter"),
        (lambda counts: 0 * gini(counts), "a node of two classes is impure"),
        (lambda counts: np.where(np.sum(counts, axis=-1) > 0, gini(counts), np.nan), "an impurity is a finite number from 0"),
        (lambda counts: np.where(gini(counts) > 0, np.inf, 0.0), "an impurity is a finite number from 0"),
        (lambda counts: gini(counts).astype(np.float32), "an impurity has double precision"),
        (shares_in_place, "an impurity does not change its counts"),
    ],
)
def test_an_impurity_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_impurity(wrong)


def test_an_impurity_that_is_not_its_formula_is_caught_with_both_values_and_the_counts():
    with pytest.raises(AssertionError, match=r"that of the oracle: got 1\.0, must be 0\.5, for counts = \[1, 1\]"):
        check_impurity(lambda counts: 2 * gini(counts), oracle=formula)


@usual
def test_laws_that_are_exempt_are_not_asked_for():
    everything = {"concave", "mixed", "scale", "symmetric", "absent"}
    first, n = lambda counts: proportions(counts)[..., 0], lambda counts: np.size(counts, -1) * np.sum(counts, axis=-1)
    check_impurity(lambda counts: misclassification(counts) ** 2 * first(counts) * n(counts), exempt=everything)
    check_score(lambda children, _: 0.0 * children[..., 0].sum(axis=-1), exempt={"symmetric"})
    check_score(gain_of_a_case, exempt={"scale"})


@usual
def test_a_score_may_refuse_splits_and_is_given_the_children_that_it_asks_for():
    check_score(lambda children, impurity: np.where(gain(children, impurity) > 0.1234567, gain(children, impurity), -np.inf))
    check_score(lambda children, impurity: gain_ratio(children, impurity) / np.shape(children)[-2], n_children=3)


def doubling_children(children, impurity):
    """A score that changes its counts."""
    children *= 2
    return gain(children, impurity)


def first_share(children):
    """The share of the first class."""
    return proportions(np.sum(children, axis=-2))[..., 0]


def gain_of_a_case(children, by):
    return gain(children, by) * (np.sum(children, axis=(-1, -2)) >= 1)


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (doubling_children, "a score does not change its counts"),
        (lambda children, _: np.full(np.shape(children)[:-2], np.sum(children)), "a level's results are those of each alone"),
        (gain_of_a_case, "few cases score the same as many of the same shares"),
        (lambda children, impurity: -gain(children, impurity), "a score is a finite number from 0, or -inf"),
        (lambda children, impurity: 1 + gain(children, impurity), "sends all cases to one child scores 0"),
        (lambda children, by: gain(children, by) / np.shape(children)[-2], "a child without cases does not matter"),
        (lambda children, by: gain(children, by).astype(np.float32), "a score has double precision"),
        (lambda children, by: gain(children, by) / np.shape(children)[-1], "a class without cases does not matter"),
        (lambda children, by: gain(children[..., :4, :], by), "does not matter|scores 0"),
        (split_information, "children with their parent's class shares score 0"),
        (lambda children, by: gain(children, by) * (1 + first_share(children)), "the order of classes does not matter"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_score_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_score(wrong)


def test_a_score_that_is_not_its_formula_is_caught():
    with pytest.raises(AssertionError, match="a score is that of the oracle: got"):
        check_score(lambda children, impurity: gain(children, impurity) / 2, oracle=gain)


def kept_in_a_default(frontier, *, known={}):  # noqa: B006  # the mistake
    """A rule that keeps answers by the size of nodes."""
    pure = frontier.counts.max(axis=-1) == frontier.weight
    told = [known.setdefault(n, one) for n, one in zip(np.ravel(frontier.weight).tolist(), np.ravel(pure).tolist(), strict=True)]
    return np.reshape(told, frontier.shape)


def kept_around():
    known = {}
    return lambda frontier: kept_in_a_default(frontier, known=known)


@pytest.mark.parametrize(
    ("wrong", "law", "claims"),
    [
        (lambda frontier: frontier.weight >= np.max(frontier.weight), "level's results", {}),
        (max_depth(1), "a rule closes what the oracle closes", {"oracle": lambda node: node.depth > 3}),
        (min_gain(0.25), "a rule closes what the oracle closes", {"oracle": lambda node: node.gain < 0.2, "at": [0.2]}),
        (lambda one: (one.counts.astype(int) < one.counts).any(-1), "the oracle closes", {"oracle": lambda _: False}),
        (lambda frontier: frontier.gain < 0.25, "treats gains as equal that differ only by rounding", {"at": [0.25]}),
        (lambda frontier: frontier.gain * frontier.weight < 2, "treats gains as equal", {"at": [2]}),
        (lambda frontier: frontier.depth == 2, "the rule rises with depth", {"rising": {"depth"}}),
        (min_rows(5), "the rule rises with weight", {"rising": {"weight"}}),
        (kept_in_a_default, "earlier calls", {}),
        (kept_around(), "earlier calls", {}),
    ],
)
def test_a_rule_that_breaks_a_law_is_caught(wrong, law, claims):
    with pytest.raises(AssertionError, match=law):
        check_rule(wrong, **claims)


def test_a_rule_for_one_node_passes_and_one_that_cannot_be_copied():
    check_rule(per_node(pure()))
    lock = Lock()
    check_rule(lambda frontier: np.full(frontier.shape, lock.locked()))


@pytest.mark.parametrize("closes", [lambda n: n % 2 == 1, lambda n: n % 40 == 0, lambda n: n == 1])
def test_a_rule_that_remembers_is_caught(closes):
    asked = []

    def by_number_of_questions(frontier):
        asked.append(frontier)
        return np.full(frontier.shape, closes(len(asked)))

    with pytest.raises(AssertionError, match=r"level's results|the same call|earlier calls|a rule "):
        check_rule(by_number_of_questions)
