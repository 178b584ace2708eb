"""scikit-learn grows these trees too: full binary trees on numbers, node by node."""

from collections import Counter

import numpy as np
import pytest
from attrs import evolve

from ftree import CART, Dataset, Leaf, entropy, gain, gini, grow, stop

pytestmark = pytest.mark.wide

REASON = "needs scikit-learn, the peer to agree with"
# scikit-learn also splits without a gain, as long as there are two classes and a cut.
GROWN_OUT = evolve(CART, stop=stop.pure())


class Peer:
    """A node of scikit-learn's tree with the rows that reach it."""

    def __init__(self, tree, rows, number=0):
        self.tree, self.rows, self.number = tree, rows, number
        self.impurity, self.asks = tree.impurity[number], (tree.feature[number], tree.threshold[number])
        self.is_leaf = tree.children_left[number] < 0

    def children(self, data):
        feature, at = self.asks
        low = data.columns[feature][self.rows] <= at
        below = self.tree.children_left[self.number], self.tree.children_right[self.number]
        return [Peer(self.tree, self.rows[side], number) for side, number in zip((low, ~low), below, strict=True)]

    def counts(self, data):
        return tuple(np.bincount(data.labels[self.rows], minlength=len(data.schema.classes)).tolist())


def compared(data, policy, mine, theirs):
    """The nodes as "leaf", "branch" or "tie"; below a tie the tree is grown again from the peer's parts."""
    assert mine.counts == theirs.counts(data)
    assert policy.impurity(np.array(mine.counts)) == pytest.approx(theirs.impurity, abs=1e-9)
    assert isinstance(mine, Leaf) == theirs.is_leaf
    if theirs.is_leaf:
        yield "leaf"
        return
    asks, parts = (mine.split.feature, mine.split.at), theirs.children(data)
    yield "branch" if asks == theirs.asks else "tie"
    if asks != theirs.asks:
        gained = gain([part.counts(data) for part in parts], policy.impurity)
        assert gain([child.counts for child in mine.children], policy.impurity) == pytest.approx(gained, abs=1e-9)
        assert asks < theirs.asks  # the library takes the first of equal ones
    children = mine.children if asks == theirs.asks else [grow(data.take(part.rows), policy).root for part in parts]
    for child, part in zip(children, parts, strict=True):
        yield from compared(data, policy, child, part)


@pytest.mark.parametrize("table", ["iris", "wine", "breast_cancer", "digits"])
@pytest.mark.parametrize(("criterion", "impurity"), [("gini", gini), ("entropy", entropy)])
def test_CART_grown_out_is_scikit_learns_tree_but_for_ties(table, criterion, impurity):
    points, labels = getattr(pytest.importorskip("sklearn.datasets", reason=REASON), f"load_{table}")(return_X_y=True)
    peer = pytest.importorskip("sklearn.tree", reason=REASON).DecisionTreeClassifier(criterion=criterion, random_state=0)
    single = points.astype(np.float32).astype(np.float64)  # the peer's precision
    data = Dataset.from_columns({**{f"x{n}": column for n, column in enumerate(single.T)}, "class": labels})
    policy = evolve(GROWN_OUT, impurity=impurity)
    theirs = Peer(peer.fit(points, labels).tree_, np.arange(len(data)))
    seen = Counter(compared(data, policy, grow(data, policy).root, theirs))
    assert seen.total() == theirs.tree.node_count
    assert seen["tie"] < seen["branch"]
