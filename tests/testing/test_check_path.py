"""The battery for paths detects paths that break a law."""

import pytest
from attrs import evolve

from ftree import Leaf, Tree
from ftree.prune import cost_complexity_path, reduced_error
from ftree.testing import check_path

pytestmark = pytest.mark.usefixtures("unshrunk")


def changed(**changes):
    """The path of weakest links with a change in each step."""

    def path(tree):
        return [evolve(step, **{name: change(step) for name, change in changes.items()}) for step in cost_complexity_path(tree)]

    return path


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (lambda _: [], "a path has a tree"),
        (lambda tree: [tree, tree], "consecutive trees differ"),
        (lambda tree: [Tree(tree.schema, Leaf(tree.root.counts)), tree], "each tree is a pruning of the one before|another one"),
        (changed(alpha=lambda step: step.alpha + 1), "alphas increase from 0"),
        (lambda tree: list(cost_complexity_path(tree))[:1], "the last tree is a leaf"),
        (changed(leaves=lambda step: step.leaves + (step.alpha == 0 < step.risk)), "a step has the leaves of its tree|is a leaf"),
        (changed(risk=lambda step: step.risk / 2), "a step has the risk of its leaves"),
        (changed(cp=lambda step: step.alpha + step.alpha), "cp is alpha over the risk of the root"),
        (changed(alpha=lambda step: step.alpha / 2, cp=lambda step: step.cp / 2), "no pruning is cheaper at|it is the smallest"),
    ],
)
def test_a_path_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law) as caught:
        check_path(wrong)
    assert any(f"{given} = " in str(caught.value) for given in ("tree", "of", "step")), "a failure says what was given"


def test_a_path_of_trees_need_not_have_alphas():
    check_path(lambda tree: [step.tree for step in cost_complexity_path(tree)])


def test_a_path_is_a_function():
    with pytest.raises(TypeError, match="path must be a function"):
        check_path(reduced_error)
