"""Pruning by description length: codes of classes and splits, by their formulas and worked by hand."""

from functools import partial
from math import factorial, lgamma, log, log2, pi

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from plain_passes import PLAIN_TREES, ROOT, TREES, WITH_GAPS, A, cuts, up
from scipy.special import binom

from ftree import CART, Dataset, Leaf, Schema, Tree, entropy, grow, n_leaves
from ftree.prune import mdl
from ftree.prune.description_length import class_code
from ftree.testing import check_pass
from ftree.tree import Branch, Groups, Intervals, IsMissing, Multiway, Oblique, Subset, Threshold, WithDefault


def coded_in_turn(counts):
    """Bits of whole cases that are coded one after another, each by the shares so far, as if half a case of each came before."""
    bits, seen = 0.0, [0.5] * len(counts)
    for number, count in enumerate(counts):
        for _ in range(int(count)):
            bits += log2(sum(seen) / seen[number])
            seen[number] += 1
    return bits


def code(node, *_):
    """1 bit, and an approximation of Krichevsky and Trofimov's code of the classes, or the code if that is longer."""
    n, k = sum(node.counts), len(node.counts)
    if not n:
        return 1.0
    stirling = (k - 1) / 2 * log2(max(n, 1) / 2) + (k / 2 * log(pi) - lgamma(k / 2)) / log(2)
    return 1 + max(sum(count * log2(n / count) for count in node.counts if count) + stirling, coded_in_turn(node.counts))


def divided(values, groups):
    """Stirling numbers of the second kind."""
    if groups in (0, values):
        return int(groups == values)
    return 0 if groups > values else groups * divided(values - 1, groups) + divided(values - 1, groups - 1)


def value_bits(split, distinct):
    match split:
        case Subset():
            return log2(2**distinct - 2) if distinct > 1 else 0.0
        case WithDefault(split=inner):
            return value_bits(inner, distinct)
        case Multiway() | IsMissing():
            return 0.0
        case Groups(groups=groups):
            return log2(max(factorial(len(groups)) * divided(distinct, len(groups)), 1))
        case Intervals(cuts=cuts_):
            return log2(max(binom(max(distinct - 1, 0), len(cuts_)), 1))
    return log2(max(distinct - 1, 1))


def recursion(tree, *, features=None, value_cost=None):
    naming, n = log2(features or len(tree.schema.features)), sum(tree.root.counts)

    def bits(node, scores, _):
        used = node.split.features if isinstance(node.split, Oblique) else (node.split.features[0],)
        distinct = [len(tree.schema.features[number].values) or n for number in used]
        return 1 + sum(scores) + sum(naming + (value_bits(node.split, v) if value_cost is None else value_cost) for v in distinct)

    return up(tree, leaf=code, below=bits)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("options", [{}, {"features": 2, "value_cost": 5}])
def test_a_branch_is_cut_if_its_code_is_no_shorter(options):
    check_pass(mdl(**options), given_trees=PLAIN_TREES, oracle=partial(recursion, **options))


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("pass_", [mdl(values=WITH_GAPS), mdl(features=2, value_cost=0)], ids=["values", "no cost"])
def test_it_keeps_the_laws_for_all_splits(pass_):
    check_pass(pass_, given_trees=TREES)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60))
def test_no_code_is_shorter_than_that_of_its_cases_in_turn(counts):
    assert class_code(counts) >= max(coded_in_turn(counts), sum(counts) * float(entropy(counts))) - 1e-9


@pytest.mark.parametrize("n_classes", [2, 10, 26, 60])
def test_a_tree_that_learned_noise_becomes_a_leaf(n_classes):
    random = np.random.default_rng(n_classes)
    noise = Dataset.from_frame(random.random((400, 3)), [f"class {number}" for number in random.integers(n_classes, size=400)])
    assert n_leaves(mdl(values=noise)(grow(noise, CART))) == 1


def test_bits_of_tree_A():
    (t5, *_, t1) = mdl(features=4, value_cost=0).decisions(A)
    assert cuts(mdl(features=4, value_cost=0)) == ROOT
    assert (t5.as_leaf, t5.as_subtree) == pytest.approx((1 + 12.812460, 3 + 2 * (1 + 5.922101)), abs=5e-6)
    assert t1.as_leaf == pytest.approx(1 + 42.650484, abs=5e-7)
    assert mdl(value_cost=0).decisions(A)[0].as_subtree == t5.as_subtree, "the schema has four features"
    for features, value_cost, more in ((8, 0, 1), (1, 0, -2), (4, 1.5, 1.5)):
        other = mdl(features=features, value_cost=value_cost).decisions(A)[0]
        assert other.as_subtree - t5.as_subtree == pytest.approx(more)
    nothing = Tree(Schema((), "class", ("P", "N")), Leaf((1, 2)))
    assert mdl()(nothing) is nothing


def test_the_value_of_a_split_costs_by_the_distinct_values_of_its_feature():
    data = Dataset.from_rows([[-1.0, "u"], [2.0, "v"], [2.0, None], [5.0, "w"], [None, "u"]], list("PPNNP"))
    tree = Tree(data.schema, Branch((3, 2), Threshold(0, 3.0), (Leaf((1, 2)), Leaf((2, 0)))))
    by_subset = evolve(tree, root=evolve(tree.root, split=Subset(1, (0,))))

    def above_leaves(pass_, tree):
        (only,) = pass_.decisions(tree)
        return only.as_subtree - sum(1 + class_code(child.counts) for child in tree.root.children) - 1 - 1

    assert above_leaves(mdl(), tree) == pytest.approx(2)  # five cases, none alike
    assert above_leaves(mdl(values=data), tree) == pytest.approx(1)  # three values
    assert above_leaves(mdl(values=data), by_subset) == pytest.approx(2.584963, abs=5e-7)
    assert above_leaves(mdl(value_cost=7), tree) == pytest.approx(7)


def test_a_cost_of_values_and_the_values_are_not_given_together():
    with pytest.raises(ValueError, match="value_cost must be None with values, whose number of distinct ones is the cost, got 2"):
        mdl(value_cost=2, values=WITH_GAPS)
