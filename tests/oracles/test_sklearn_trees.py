"""scikit-learn grows these trees too: full binary trees on numbers, node by node."""

from collections import Counter

import numpy as np
import peers
import pytest
from attrs import evolve

from ftree import CART, Dataset, entropy, gini, grow, stop

pytestmark = pytest.mark.wide

REASON = "needs scikit-learn, the peer to agree with"
# scikit-learn also splits without a gain, as long as there are two classes and a cut.
GROWN_OUT = evolve(CART, stop=stop.pure())


@pytest.mark.parametrize("table", ["iris", "wine", "breast_cancer", "digits"])
@pytest.mark.parametrize(("criterion", "impurity"), [("gini", gini), ("entropy", entropy)])
def test_CART_grown_out_is_scikit_learns_tree_but_for_ties(table, criterion, impurity):
    points, labels = getattr(pytest.importorskip("sklearn.datasets", reason=REASON), f"load_{table}")(return_X_y=True)
    peer = pytest.importorskip("sklearn.tree", reason=REASON).DecisionTreeClassifier(criterion=criterion, random_state=0)
    single = points.astype(np.float32).astype(np.float64)  # the peer's precision
    data = Dataset.from_columns({**{f"x{n}": column for n, column in enumerate(single.T)}, "class": labels})
    policy = evolve(GROWN_OUT, impurity=impurity)
    theirs = peers.OfSklearn(peer.fit(points, labels).tree_, np.arange(len(data)))
    seen = Counter(peers.compared(data, policy, grow(data, policy).root, theirs))
    assert seen.total() == theirs.tree.node_count
    assert seen["tie"] < seen["same"]
