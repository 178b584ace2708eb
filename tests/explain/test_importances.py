"""Importances: what each feature takes off the impurity."""

import pytest
from hypothesis import given

from ftree import (
    CART,
    Branch,
    Dataset,
    Feature,
    Leaf,
    Schema,
    Tree,
    datasets,
    entropy,
    evolve,
    gain,
    gini,
    grow,
    importances,
    stop,
)
from ftree.criteria import mean_risk, poisson, variance
from ftree.responses import quantiles
from ftree.testing import trees
from ftree.tree import Surrogate, Threshold, WithSurrogates, walk
from ftree.tree.splits import primary

CARS = datasets.auto_mpg(numeric=True)


@given(trees())
def test_importances_share_out_the_impurity_decrease(tree):
    for impurity in (entropy, gini):
        taken = dict.fromkeys((feature.name for feature in tree.schema.features), 0.0)
        for _, node in walk(tree):
            if isinstance(node, Branch):
                own = gain([child.counts for child in node.children], impurity)
                asked = [tree.schema.features[number].name for number in primary(node.split).features]
                for name in asked:
                    taken[name] += sum(node.counts) * float(own) / len(asked)
        total = sum(taken.values()) or 1.0
        assert importances(tree, impurity=impurity) == pytest.approx({name: part / total for name, part in taken.items()})


@given(trees())
def test_importances_by_splits_count_the_branches_of_each_feature(tree):
    counted = dict.fromkeys((feature.name for feature in tree.schema.features), 0.0)
    branches = [node for _, node in walk(tree) if isinstance(node, Branch)]
    for node in branches:
        used = primary(node.split).features
        for number in used:
            counted[tree.schema.features[number].name] += 1 / len(used) / len(branches)
    assert importances(tree, by="splits") == pytest.approx(counted)


def test_importances_are_by_gain_or_by_splits():
    with pytest.raises(ValueError, match="by must be 'gain' or 'splits', got 'permutation'"):
        importances(Tree(Schema((), "class", ("no",)), Leaf((1,))), by="permutation")


def test_a_surrogate_has_its_adjusted_agreement_of_what_its_split_takes_off_where_surrogates_count():
    schema = Schema([Feature("x", "numeric"), Feature("y", "numeric")], "class", ("no", "yes"))
    split = WithSurrogates(Threshold(0, 0.5), [Surrogate(Threshold(1, 2.0), agreement=0.9, adjusted=0.25)], default_child=0)
    tree = Tree(schema, Branch((3, 3), split, (Leaf((3, 0)), Leaf((0, 3)))))
    assert importances(tree, surrogates=True) == pytest.approx({"x": 0.8, "y": 0.2})
    assert importances(tree) == importances(tree, surrogates=False) == {"x": 1, "y": 0}


@pytest.mark.parametrize(
    ("table", "own", "others"),
    [
        (datasets.weather(), entropy, [variance, poisson]),
        (CARS, variance, [entropy, gini, poisson]),
        (Dataset.from_frame(CARS.to_pandas(), "mpg", response=quantiles(0.5)), mean_risk, [entropy, variance]),
    ],
    ids=["classes", "numbers", "medians"],
)
def test_an_impurity_counts_or_is_refused(table, own, others):
    tree = grow(table, evolve(CART, stop=stop.max_depth(2)))
    assert importances(tree, impurity=own) == importances(tree)
    for other in others:
        with pytest.raises(ValueError, match=r"^impurity must be .*, got "):
            importances(tree, impurity=other)
    for each in (own, *others):
        with pytest.raises(ValueError, match=r"^impurity must be left out with by='splits', which counts splits, got "):
            importances(tree, by="splits", impurity=each)
