"""A user's monotone growth: a class never gets rarer as a number rises. Source: LightGBM's bounds on the shares of children."""

import numpy as np
from attrs import evolve, frozen
from hypothesis import given

from ftree import CART, Feature, Schema, grow, predict_proba
from ftree.prune import cost_complexity_path
from ftree.splitters import ORDERED, BestSplits, threshold
from ftree.testing import check_splitter, datasets

PLANE = Schema([Feature("x", "numeric"), Feature("y", "numeric")], "class", ("no", "yes"))


@frozen
class rising:
    feature: int
    kinds = ORDERED

    def at_root(self, _):
        return 0.0, 1.0

    def below(self, bounds, split, children):
        middle = (children[:, 1] / children.sum(axis=1)).mean()
        return [(bounds[0], middle), (middle, bounds[1])] if split.feature == self.feature else [bounds] * 2

    def __call__(self, runs, measure):
        found = [self.cut(runs.only(np.array([run])), *bounds, measure) for run, bounds in enumerate(runs.inherited(self))]
        return BestSplits(np.array([each.score[0] for each in found]), lambda run: found[run].build(0))

    def cut(self, run, low, high, measure):
        def allowed(children):
            left, right = np.moveaxis(children[..., 1] / children.sum(axis=-1), -1, 0)
            kept = (np.minimum(left, right) >= low) & (np.maximum(left, right) <= high)
            return np.where(kept & ((left <= right) | (run.feature[0] != self.feature)), measure(children), -np.inf)

        return threshold()(run, allowed)


def test_it_keeps_the_laws_of_splitters():
    check_splitter(rising(9), n_classes=2)


@given(datasets(schema=PLANE))
def test_answers_rise_before_and_after_every_cut(dataset):
    tree = grow(dataset, evolve(CART, splits=(rising(0),)))
    for each in (tree, *(step.tree for step in cost_complexity_path(tree))):
        for y in range(5):
            assert (np.diff(predict_proba(each, [[x, y] for x in np.arange(-0.5, 5)])[:, 1]) >= 0).all()
