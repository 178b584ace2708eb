"""A user's pass, as a plain fold: cut where all leaves below agree on the class."""

from ftree import Branch, Dataset, Leaf, fold, grow, majority, n_leaves, prune
from ftree.prune import explain, from_branch_function, from_function, replay
from ftree.testing import check_pass


def agree(branch):
    """The leaf that replaces a branch whose children are leaves of one class."""
    leaves_only = all(isinstance(child, Leaf) for child in branch.children)
    one_class = len({majority(child.counts) for child in branch.children}) == 1
    return Leaf(branch.counts) if leaves_only and one_class else branch


def agreeing(tree):
    """The same as a function of the whole tree, which rebuilds every branch."""
    return fold(tree, lambda leaf: leaf, lambda branch, below: agree(Branch(branch.counts, branch.split, below)))


def test_they_keep_the_laws():
    check_pass(from_branch_function(agree))
    check_pass(from_function(agreeing))


def test_decisions_are_listed_replayed_and_explained():
    tree = grow(Dataset.from_rows([["a", 1], ["a", 2], ["b", 1], ["b", 2]] * 2, list("yyyyyynn"), features=["x", "y"]))
    both = prune.compose(from_function(agreeing), prune.collapse())
    assert replay(both.decisions(tree), tree) == both(tree)
    assert n_leaves(both(tree)) <= n_leaves(tree)
    assert explain(agreeing, tree).endswith("The pass gives no scores.")
