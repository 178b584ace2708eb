"""partykit's lmtree grows trees of linear models from the same rows; the files in `facts` have its tables, trees and tests.

Its statistic of a number also counts cuts between rows of one value, which depend on the order of the rows; the files have the
statistic without those. Its p-values of numbers are Hansen's fit (1997) to simulated values, ours those of the limit, which are
larger; so a branch of a p-value near 0.05 may be a leaf here.
"""

from math import log, log10, pi

import numpy as np
import peers
import pytest
from attrs import evolve

from ftree import CART, Branch, grow, n_leaves
from ftree.criteria.impurity_of_sums import without_limbs
from ftree.responses import linear, linear_model
from ftree.splitters import by_instability_test, only, subset, threshold
from ftree.tree import Subset, leaves, subtree_at

FACTS = {name: peers.facts("lmtree", name) for name in peers.tables("lmtree")}


def dataset(fact):
    return peers.table(fact, response=linear(fact["on"]))


def grown(fact):
    """The tree; and by cases and residuals of each node, the statistic and -log10 of the p-value of each feature."""
    least, tests, data = fact["minsize"], {}, dataset(fact)
    parts = [name for name in fact["columns"] if name not in (fact["target"], *fact["on"])]
    test = by_instability_test(features=parts, min_cases=least)

    def noting(candidates):
        runs, response = candidates.every_run, candidates.every_run.response
        statistics, (digits, testable) = test.statistics(candidates)[0], test.significance(candidates)
        for node in np.unique(runs.node):
            here = (runs.node == node) & testable
            names = [runs.features[number].name for number in runs.feature[here]]
            sums = without_limbs(runs.frontier.counts[node], response)
            of_names = zip(statistics[here].tolist(), digits[here].tolist(), strict=True)
            tests[sums[0], round(response.risk(sums), 6)] = dict(zip(names, of_names, strict=True))
        return test(candidates)

    splits = (threshold(min_cases=least, at="observed"), subset(min_cases=least))
    return grow(data, evolve(CART, splits=(only(parts, splits),), choose=noting)), tests


@pytest.mark.parametrize("name", FACTS)
def test_the_tree_its_coefficients_and_its_statistics_are_those_of_lmtree(name):
    fact = FACTS[name]
    tree, tests = grown(fact)
    paths, n_alike = [((), fact["tree"])], 0
    for path, wanted in paths:
        node, model = subtree_at(tree, path).root, linear_model(tree, path)
        assert model.cases == wanted["cases"]
        assert model.coefficients == pytest.approx(wanted["coefficients"], rel=1e-6, abs=1e-9)
        assert model.residuals == pytest.approx(wanted["lost"], rel=1e-9)
        agree(tests.get((model.cases, round(tree.schema.response.risk(node.counts), 6)), {}), wanted["tests"], fact)
        if not isinstance(node, Branch):
            assert "feature" not in wanted or 0.02 < wanted["tests"][wanted["feature"]][1] < 0.05
            continue
        n_alike += 1
        children = wanted["children"] if is_left_first(tree.schema.features, node.split, wanted) else wanted["children"][::-1]
        paths += [((*path, number), child) for number, child in enumerate(children)]
    assert n_alike == n_leaves(tree) - 1


def agree(found, wanted, fact):
    """Statistics are equal; -log10 of p-values too, but for a tenth where they are about numbers."""
    for name, (statistic, digits) in found.items() if wanted else ():  # lmtree tests nothing where no cut is left
        other, adjusted, own = wanted[name]
        assert statistic == pytest.approx(own, rel=1e-6)
        n_tests = sum(p is not None for _, p, _ in wanted.values())
        p = adjusted / n_tests  # as lmtree adjusts p-values up to 0.01
        if adjusted > 0.01:
            p = -np.expm1(np.log1p(-adjusted) / n_tests) if adjusted < 1 else 1.0
        if isinstance(fact["columns"][name][0], str):
            assert digits == pytest.approx(-log10(p), rel=1e-5, abs=1e-3)
        elif statistic == pytest.approx(other, rel=1e-6):
            assert digits == pytest.approx(-log10(p), rel=0.1, abs=0.2), (name, digits, -log10(p))


def is_left_first(features, split, wanted):
    """Whether the first child is lmtree's left one; both have the same two."""
    feature = features[split.feature]
    assert feature.name == wanted["feature"]
    if isinstance(split, Subset):
        members = {feature.values[code] for code in split.members}
        assert members == {*wanted["left"]} or not members & {*wanted["left"]}
        return members == {*wanted["left"]}
    # The largest value on the left is lmtree's threshold; ours may be a larger one that no row of the node has.
    assert split.at >= (feature.values.index(wanted["left"]) if feature.values else wanted["left"] - 1e-9)
    return True


def test_the_trees_of_boston_are_those_of_the_vignette():
    tree, _ = grown(FACTS["boston_ordered"])
    models = [linear_model(tree, path) for path in ((0, 0), (0, 1, 0, 0), (0, 1, 0, 1), (0, 1, 1), (1,))]
    assert [model.cases for model in models] == [72, 63, 162, 56, 153]
    assert sum(model.residuals for model in models) == pytest.approx(6090, abs=0.5)
    for name in ("boston", "boston_ordered"):
        tree, _ = grown(FACTS[name])
        known = [(leaf.counts[0], tree.schema.response.risk(leaf.counts)) for leaf in leaves(tree)]
        likelihood = sum(-n / 2 * (log(2 * pi * lost / n) + 1) for n, lost in known)
        assert likelihood == pytest.approx(FACTS[name]["loglik"], rel=1e-9)
