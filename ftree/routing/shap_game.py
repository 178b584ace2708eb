"""The game behind SHAP values: its parts that do not depend on rows."""

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats
from ftree.criteria.impurity import proportions
from ftree.routing.route import child_sizes
from ftree.routing.shares import shares_of
from ftree.routing.weighted import weighted
from ftree.tree.nodes import Branch, Node, Tree, level_order
from ftree.tree.splits.optional import primary


@frozen(eq=False)
class Game:
    """A game between features that pays probabilities.

    Nodes come level by level, each with the shares that its children have of the cases and, for a leaf, its distribution (K,).
    `base` (K,) is paid if nothing is known. `player` (m,) is the number of each feature's player,
    `split_player` that of each node's split, -1 for a leaf. `times` and `weights` (Q,) are those of the quadrature.
    """

    nodes: list[Node]
    below: list[range]
    shares: list[Floats]
    answers: list[Floats]
    base: Floats
    player: Array
    split_player: list[int]
    times: Floats
    weights: Floats


def game_of(tree: Tree) -> Game:
    """The game of a tree; its quadrature has half as many points as there are players on a path, which makes it exact.

    >>> from ftree import Dataset, grow
    >>> game = game_of(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])))
    >>> game.base.tolist(), game.times.tolist()
    ([0.5, 0.5], [0.5])
    """
    nodes, below = level_order(tree.root)
    shares = [shares_of(weighted(), child_sizes(node)) if isinstance(node, Branch) else np.zeros(0) for node in nodes]
    answers = _answers(nodes, below)
    player = _players(nodes, len(tree.schema.features))
    split_player = [int(player[primary(node.split).features[0]]) if isinstance(node, Branch) else -1 for node in nodes]
    points = max(-(-_most_players(below, split_player) // 2), 1)
    times, weights = np.polynomial.legendre.leggauss(points)
    base = _mean(below, shares, answers)
    return Game(nodes, below, shares, answers, base, player, split_player, (times + 1) / 2, weights / 2)


def _answers(nodes: Sequence[Node], below: Sequence[range]) -> list[Floats]:
    """The distribution of each node, or of its nearest ancestor with cases."""
    found: list[Floats] = [proportions(np.array(node.counts, dtype=np.float64)) for node in nodes]
    for number, kids in enumerate(below):
        for kid in kids:
            if not any(nodes[kid].counts):
                found[kid] = found[number]
    return found


def _players(nodes: Sequence[Node], n_features: int) -> Array:
    """The player of each feature: features of one weighted sum are one player."""
    player = np.arange(n_features)
    for node in nodes:
        used = primary(node.split).features if isinstance(node, Branch) else ()
        if len(used) > 1:
            player[np.isin(player, player[list(used)])] = player[list(used)].min()
    return np.unique(player, return_inverse=True)[1].reshape(-1)


def _most_players(below: Sequence[range], split_player: Sequence[int]) -> int:
    """The largest number of players on a path."""
    on_path: list[frozenset[int]] = [frozenset()] * len(below)
    for number, kids in enumerate(below):
        if kids:
            here = on_path[number]
            extended = here if split_player[number] in here else here | {split_player[number]}
            for kid in kids:
                on_path[kid] = extended
    return max(map(len, on_path))


def _mean(below: Sequence[range], shares: Sequence[Floats], answers: Sequence[Floats]) -> Floats:
    """The payment of the game if nothing is known."""
    values = list(answers)
    for number in reversed(range(len(below))):
        if below[number]:
            values[number] = shares[number] @ np.array([values[kid] for kid in below[number]])
    return values[0]
