"""A user's pass with scores and decisions: the shortest description. Source: Quinlan & Rivest 1989 (MDL)."""

from math import log2

from attrs import frozen

from ftree import Branch, Leaf, Tree, entropy, fold, prune
from ftree.prune import Decision, replay
from ftree.testing import check_pass
from ftree.tree import node_at, replace_at, walk


@frozen
class shortest:
    """Cut where a leaf takes no more bits than the subtree: a bit for each node, bits for its split, and for the classes."""

    bits_of_split: float

    def bits(self, node):
        """As a leaf, and as it is."""
        leaf = lambda one: (1 + sum(one.counts) * float(entropy(one.counts)),) * 2  # noqa: E731
        branch = lambda one, below: (leaf(one)[0], 1 + self.bits_of_split + sum(bits for _, bits in below))  # noqa: E731
        return fold(node, leaf, branch)

    def decisions(self, tree):
        made = []
        for path, before in walk(tree, children_first=True):
            if isinstance(before, Branch):
                node = node_at(tree, path)
                as_leaf, as_subtree = self.bits(node)
                becomes = Leaf(node.counts) if as_leaf <= as_subtree + 1e-9 else None
                done = "kept" if becomes is None else "cut"
                made.append(Decision(path, node.counts, as_leaf, as_subtree, as_subtree, done, becomes=becomes))
                tree = replace_at(tree, path, becomes or node)
        return tuple(made)

    def __call__(self, tree):
        return replay(self.decisions(tree), tree)


def test_it_keeps_the_laws_and_no_pruning_is_shorter():
    check_pass(shortest(2.5))
    # What the second pass merges may be longer than a leaf above it, which the first one then cuts.
    check_pass(prune.compose(shortest(log2(3)), prune.collapse()), exempt={"once"})
    check_pass(shortest(1), oracle=lambda tree: Tree(tree.schema, best(tree.root), missing=tree.missing))


def best(root):
    """By brute force from the leaves up."""
    bits = lambda node: round(shortest(1).bits(node)[1], 9)  # noqa: E731
    both = lambda one, below: (Leaf(one.counts), Branch(one.counts, one.split, below))  # noqa: E731
    return fold(root, lambda leaf: leaf, lambda one, below: min(both(one, below), key=bits))
