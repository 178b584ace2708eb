"""A user's score: gain about the class less gain about a protected group. Source: Kamiran, Calders & Pechenizkiy 2010."""

import numpy as np
from attrs import evolve, frozen

from ftree import ID3, Branch, Dataset, Leaf, Tree, fold, gain, grow, predict
from ftree.testing import check_score


@frozen
class fair:
    """Classes are pairs (label, group), two of each; a split that tells more of the group than of the label is refused."""

    price: float

    def __call__(self, children, impurity):
        pairs = np.asarray(children).reshape(*np.shape(children)[:-1], 2, 2)
        worth = gain(pairs.sum(axis=-1), impurity) - self.price * gain(pairs.sum(axis=-2), impurity)
        return np.where(worth >= -1e-12, worth, -np.inf)  # equal but for rounding is allowed


def of_labels(tree, schema):
    """The tree of pairs as one of labels."""
    counts = lambda node: tuple(np.reshape(node.counts, (2, 2)).sum(axis=1).tolist())  # noqa: E731
    branch = lambda node, below: Branch(counts(node), node.split, below)  # noqa: E731
    return Tree(schema, fold(tree, lambda leaf: Leaf(counts(leaf)), branch))


def test_it_keeps_the_laws_of_scores():
    check_score(fair(1), n_classes=4, exempt={"symmetric"})


def test_a_proxy_of_the_group_is_not_asked():
    columns = {"district": list("aaaabbbb"), "skill": list("llhhlhhh")}
    pairs = [("no", 0), ("no", 0), ("no", 0), ("yes", 0), ("no", 1), ("yes", 1), ("yes", 1), ("yes", 1)]
    data = Dataset.from_columns(columns | {"class": [f"{label} {group}" for label, group in pairs]})
    schema = evolve(data.schema, classes=("no", "yes"))
    tree = of_labels(grow(data, evolve(ID3, score=fair(2))), schema)
    assert [predict(tree, [*"ah"]), predict(tree, [*"bh"]), tree.root.split.features] == ["yes", "yes", (1,)]
