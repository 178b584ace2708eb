"""The checks of paths of prunings and of choices of one tree of a path."""

import pytest
from attrs import evolve

from ftree import Leaf, Tree, prune
from ftree.prune import cost_complexity_path
from ftree.testing import check_path, check_path_choice

pytestmark = pytest.mark.usefixtures("unshrunk")
usual = pytest.mark.parametrize("unshrunk", [1], indirect=True)


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
        (lambda tree: [Tree(tree.schema, Leaf(tree.root.counts)), tree], "a pruning of the one before|consecutive trees differ"),
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


@usual
def test_a_path_of_trees_need_not_have_alphas():
    check_path(lambda tree: [step.tree for step in cost_complexity_path(tree)])


def largest(rows):
    return max(rows, key=lambda row: row.leaves)


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (lambda rows: evolve(rows[0]), "a choice returns one of the rows"),
        (lambda rows: rows[-1], "no smaller tree has as few errors|the order of the rows does not matter"),
        (largest, "no smaller tree has as few errors"),
    ],
)
def test_a_choice_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_path_choice(wrong)


def test_a_choice_that_is_exempt_from_laws_may_break_them():
    check_path_choice(largest, exempt={"smallest"})
    check_path_choice(lambda rows: rows[-1], exempt={"order", "smallest"})


def test_a_choice_that_differs_from_its_oracle_is_caught():
    with pytest.raises(AssertionError, match="a choice is that of the oracle"):
        check_path_choice(prune.within(0.1), oracle=lambda rows: rows.index(min(rows, key=lambda row: row[1])))
