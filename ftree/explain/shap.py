"""SHAP values: how much each feature's value moves a row's predicted probabilities, or its number, from the mean of all cases.

They are the Shapley values of a game between the features. The value of a set of known features is the tree's prediction when
each split on an unknown feature sends the row to all children, in proportion to their cases (path-dependent TreeSHAP: Lundberg
et al. 2020).

At a leaf this value is its answer times one factor for each feature on the path. Let `share` be the share of the cases, and
`part` the part of the row, that follow the splits on the feature. If each feature is known with the probability t, the factor is
`mixed` = (1 - t) share + t part. The Shapley value of a feature is the integral over t from 0 to 1 of the sum over the leaves of
answer * (product of all factors) * (part - share) / mixed, with the numbers of this feature in the last fraction, the
`gradient`. The integrand is a polynomial, so Gaussian quadrature computes the integral exactly. The time grows with the rows,
the nodes, and the number of features on a path, not with the subsets.

For example, let a tree answer 1 where x and y are, else 0, with half of the cases on each side of both splits. The leaf that
answers 1 has the shares 1/2 and 1/2. For the row x = y = 1, the parts are 1 and 1, and both factors are (1 + t) / 2. So the value
of x is the integral of (1 + t) / 2 * (1 - 1/2), which is 3/8. By the definition, x adds 1/2 - 1/4 where it is known first, and
1 - 1/2 where it is known after y: the mean is 3/8 as well.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats, read_only
from ftree._lib.faces import Face, Grid
from ftree._lib.fields import name_of
from ftree._lib.messages import counted
from ftree.criteria.impurity import proportions
from ftree.data.labelled import Unseen
from ftree.routing.flat import Flat
from ftree.routing.missing_rules import MissingRule, adds_distributions, rule_for, sees_rows, weighted
from ftree.routing.reach import reach
from ftree.tree.additive import exact_sums
from ftree.tree.nodes import Tree, check_tree
from ftree.tree.response import numbers
from ftree.tree.schema import names_of
from ftree.tree.splits.split import UNKNOWN, Columns, Split, child_of, primary

# Numbers that are in memory at a time; more rows are processed in parts.
_NUMBERS = 4_000_000


@frozen(eq=False)
class Game:
    """A game between features that pays probabilities.

    The m nodes come level by level, each with its `share` (m,) of its parent's cases and the distribution (m, K) that answers for
    it, or the mean (m, 1). `base` (K,) is paid if nothing is known. `player` (F,) is the number of each feature's player,
    `split_player` that of each node's split, -1 for a leaf.
    """

    nodes: Flat
    below: list[range]
    share: Floats
    answers: Floats
    base: Floats
    player: Array
    split_player: list[int]
    quadrature: "Quadrature"


class Quadrature(NamedTuple):
    """The probabilities t at which the integrand is computed, and their weights, (Q,) each."""

    times: Floats
    weights: Floats


@frozen(eq=False)
class ShapValues(Face):
    """The SHAP value of each of F features for the probability of each class, (n, F, K), or (F, K) for one row.

    `base` (K,) has the probabilities without any feature known. For each row, base plus the sum over features is what
    `predict_proba` returns. Those of a regression tree have no axis of classes, and add up to what `predict` returns; those of a
    tree that answers with K numbers have their names in place of classes.

    >>> from ftree import grow
    >>> from ftree.datasets import xor
    >>> from ftree.explain import shap_values
    >>> shap_values(grow(xor()), [0, 1]).base.tolist()
    [0.5, 0.5]
    """

    features: tuple[str, ...]
    classes: tuple[Hashable, ...]
    base: Floats = field(converter=read_only)
    values: Floats = field(converter=read_only)

    def _parts(self) -> Iterator[str | Grid]:
        """The values of one row, or the mean absolute values of several, by feature and class."""
        base, values = (each if self.classes else each[..., None] for each in (self.base, self.values))
        single = values.ndim == 2  # noqa: PLR2004  # features and classes
        shown = values if single else np.abs(values).sum(axis=0) / max(len(values), 1)
        lines = [("(nothing known)", base), *zip(self.features, shown, strict=True)]
        if not single:
            yield f"mean absolute SHAP values of {counted(len(self.values), 'row')}"
        rows = [(name, *(f"{value:.3f}" for value in each)) for name, each in lines[not single :]]
        yield Grid(("", *map(str, self.classes or ["mean"])), rows, left=1)


def shap_values(tree: Tree, rows: Any, *, missing: MissingRule | None = None, unseen: Unseen = "rule") -> ShapValues:
    """The SHAP values of features for the predicted probabilities of one row, or of rows in any form that `predict` takes.

    A missing or unseen value counts as known: the rule `missing` divides the row, None is the tree's own rule, and `unseen` is as
    for `predict`. Features of one weighted sum are known together and have equal shares of its value, since weights depend on
    units. The value of a split with surrogates belongs to its own feature.

    Raises a ValueError as `predict` for rows; for a tree that answers with labels of its response, such as `policy`; and, where a
    row has no answer at a split, for a rule by which predictions are no sum of parts of the leaves' answers, as by
    `all_routes()`, which adds counts: such sums have no exact values.

    Source: Lundberg et al. 2020; shap's TreeExplainer with `feature_perturbation="tree_path_dependent"`.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay", "stay"]))
    >>> found = shap_values(tree, ["sunny"])
    >>> found.base.tolist(), found.values.tolist()
    ([0.25, 0.75], [[0.25, -0.25]])
    """
    check_tree(tree)
    rule, reached = rule_for(tree, missing), reach(tree, rows, unseen)
    columns, n = reached.columns, len(reached.leaf)
    own = reached.nodes.shares(rule)
    adds_parts = (adds_distributions(rule) or not own.divides) and own.gives_whole and not sees_rows(rule)
    if not adds_parts:
        if sees_rows(rule) or (reached.leaf == UNKNOWN).any():
            wanted = "'weighted' or another rule that adds parts of the leaves' answers, where a split has no answer"
            remedy = "Give missing='weighted' here, and to predict."
            raise ValueError(f"missing must be {wanted}, got {name_of(rule)}. {remedy}")
        own = reached.nodes.shares(weighted())
    game = game_of(tree, reached.nodes)
    at_once = max(_NUMBERS // (len(game.below) * len(game.quadrature.times) * len(game.base)), 1)
    parts = [
        _credits(game, tuple(each[at : at + at_once] for each in columns), min(at_once, n - at), own.share)
        for at in range(0, n, at_once)
    ]
    none = np.zeros((game.player.max(initial=-1) + 1, len(game.base), 0))
    credit = np.concatenate([none, *parts], axis=2)[game.player] / np.bincount(game.player)[game.player][:, None, None]
    values = credit.transpose(2, 0, 1)[0 if reached.single else ...]
    response, k = cast("exact_sums", tree.schema.response), len(game.base)
    classes = tree.schema.classes or (response.names(k) if k > 1 else ())
    axis = ... if classes else (..., 0)
    return ShapValues(names_of(tree.schema.features), classes, np.asarray(game.base[axis]), values[axis])


def _credits(game: Game, columns: Columns, n: int, share: Floats) -> Array:
    """The credit of each player for each class and row, (players, K, n).

    `paid` at a node is the sum over the leaves below it of answer * product, (K, Q, n). A split credits its player with what its
    children pay, times the change of the gradient, (Q, n); the changes on a path add up to the gradient at the leaf.
    """
    found = np.zeros((game.player.max(initial=-1) + 1, len(game.base), n))
    products, gradients = _down(game, columns, n, share)
    paid: dict[int, Floats] = {}
    # Children come after their parents, so all of them have paid. What is taken out is freed.
    for number, kids in reversed(list(enumerate(game.below))):
        if kids:
            found[game.split_player[number]] += sum((paid[kid] * gradients.pop(kid)[None]).sum(axis=1) for kid in kids)
            paid[number] = np.add.reduce([paid.pop(kid) for kid in kids])
        else:
            paid[number] = game.answers[number][:, None, None] * products.pop(number)
    return found


def _down(game: Game, columns: Columns, n: int, to_child: Floats) -> tuple[dict[int, Floats], dict[int, Floats]]:
    """For each leaf the product of the factors on its path, and for each node the change of the gradient by the split above it.

    All are arrays (Q, n), by the numbers of the nodes. A branch gives its product to its children, which come after it.
    """
    products: dict[int, Floats] = {0: np.ones((len(game.quadrature.times), n))}
    gradients: dict[int, Floats] = {}
    # For each player on the path to a node: the share of the cases that follow its splits, and the parts of the rows (n,).
    factors: dict[int, dict[int, tuple[float, Array]]] = {0: {}}
    for number, split in enumerate(game.nodes.questions.splits):
        here = factors.pop(number)
        if split is not None:
            kids, player = game.below[number], game.split_player[number]
            share, part = here.get(player, (1.0, np.ones(n)))
            mixed_above, gradient_above = _mixed(game.quadrature, share, part)
            rest = np.divide(products.pop(number), mixed_above, out=np.zeros_like(mixed_above), where=mixed_above > 0)
            taken = _taken(split, columns, n, to_child[kids.start : kids.stop])
            for kid, of_cases, of_rows in zip(kids, game.share[kids.start : kids.stop], taken, strict=True):
                mixed, gradient = _mixed(game.quadrature, share * of_cases, part * of_rows)
                products[kid], gradients[kid] = rest * mixed, gradient - gradient_above
                factors[kid] = {**here, player: (share * of_cases, part * of_rows)}
    return products, gradients


def _mixed(at: Quadrature, share: float, part: Array) -> tuple[Floats, Floats]:
    """A player's factor at each time, (Q, n), and the derivative of its logarithm, times the weights, (Q, n); of parts (n,)."""
    mixed = (1 - at.times)[:, None] * share + np.multiply.outer(at.times, part)
    change = np.multiply.outer(at.weights, part - share)
    return mixed, np.divide(change, mixed, out=np.zeros_like(mixed), where=mixed > 0)


def _taken(split: Split, columns: Columns, n: int, shares: Floats) -> Floats:
    """The part of each row that goes to each child, (V, n), by these shares (V,) for rows without an answer."""
    child = child_of(split, *(columns[feature] for feature in split.features))
    taken: Floats = np.zeros((split.n_children, n))
    taken[child, np.arange(n)] = child != UNKNOWN
    taken[:, child == UNKNOWN] = shares[:, None]
    return taken


def game_of(tree: Tree, nodes: Flat) -> Game:
    """The game of a tree; its quadrature has half as many points as there are players on a path, which makes it exact.

    >>> from ftree import Dataset, grow
    >>> from ftree.routing.flat import flat
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> game = game_of(tree, flat(tree))
    >>> game.base.tolist(), game.quadrature.times.tolist()
    ([0.5, 0.5], [0.5])
    """
    of_classes, response = tree.schema.has_classes, cast("numbers", tree.schema.response)
    below = [range(first, first + n) for first, n in zip(nodes.first_child.tolist(), nodes.arity.tolist(), strict=True)]
    share = nodes.shares(weighted()).share
    answers = proportions(nodes.counts[nodes.answer]) if of_classes else response.answers(nodes.counts)
    if answers.dtype.kind != "f" or response.row_features:
        raise ValueError(f"tree must have leaves that answer with numbers, got one of {response.kind}. Use explain_row.")
    answers = answers.reshape(len(answers), -1)
    splits = list(nodes.questions.splits)
    player = _players(splits, len(tree.schema.features))
    split_player = [-1 if split is None else int(player[primary(split).features[0]]) for split in splits]
    times, weights = np.polynomial.legendre.leggauss(max(-(-_most_players(below, split_player) // 2), 1))
    quadrature = Quadrature((times + 1) / 2, weights / 2)
    return Game(nodes, below, share, answers, _mean(below, share, answers), player, split_player, quadrature)


def _players(splits: Sequence[Split | None], n_features: int) -> Array:
    """The player of each feature: features of one weighted sum are one player."""
    player = np.arange(n_features)
    for split in splits:
        used = () if split is None else primary(split).features
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


def _mean(below: Sequence[range], share: Floats, answers: Floats) -> Floats:
    """The payment of the game if nothing is known."""
    values = answers.copy()
    for number in reversed(range(len(below))):
        kids = slice(below[number].start, below[number].stop)
        if below[number]:
            values[number] = share[kids] @ values[kids]
    mean: Floats = values[0]
    return mean
