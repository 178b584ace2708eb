"""Predictions of a forest: votes, probabilities, means, out-of-bag errors; and its proximities and importances.

A tree that grew in arrays becomes nodes when it is first asked for; rows go down the arrays.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast, overload

import numpy as np
from attrs import field, frozen
from attrs.converters import optional

from ftree import native
from ftree._lib.arrays import Array, Floats, missing_cells
from ftree._lib.fields import as_tuple, is_finite
from ftree._lib.machine import require_memory, thread_pool
from ftree._lib.messages import short_repr
from ftree.criteria.importances import importances
from ftree.criteria.impurity import Impurity
from ftree.criteria.impurity_of_sums import impurity_for, without_limbs
from ftree.data.channels import numbers_of_rows
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.frames import in_memory
from ftree.data.rows import answers_in_kind, columns_of, columns_to_route, labels_in_kind
from ftree.growth.assemble import root_of
from ftree.growth.depth_first.drawn_trees import ThresholdNodes
from ftree.routing.flat import flat
from ftree.routing.leaves_of_rows import apply
from ftree.routing.missing_rules import rule_for
from ftree.routing.predict import answers_of_rows, label_numbers, predict_proba
from ftree.routing.reach import reach
from ftree.study.out_of_bag import Bags, OutOfBag, answers_of_votes
from ftree.tree.fold import depth, n_leaves
from ftree.tree.nodes import PredictionRule, Tree, check_tree, new_tree
from ftree.tree.response import numbers
from ftree.tree.schema import Schema, require_classes, response_of_sums
from ftree.tree.splits.split import Columns

# A thread sends so many rows at a time down all trees, within these limits.
_LEAST_BLOCK, _MOST_BLOCK = 1 << 12, 1 << 17


def _as_trees(trees: Iterable[Tree]) -> Sequence[Tree]:
    return trees if isinstance(trees, GrownTrees) else as_tuple(trees)


@frozen
class Forest:
    """Trees of one schema that vote; calling it with rows, as `predict` takes them, returns a label or a number for each row.

    A regression forest answers with the mean of its trees' numbers, and so does one of another response, unless its answers are
    labels.
    `weights` are those of the trees' votes and probabilities, one a tree, such as those of SAMME; None counts all trees alike.
    `bags` are the rows that were drawn for each tree, if the forest was grown from bags.

    Raises a ValueError for an empty sequence, for trees of different schemas, and for weights that are not a finite number from
    0 for each tree, not all 0; a TypeError for anything that is not a tree.

    >>> from ftree import CART, datasets, grow
    >>> Forest([grow(datasets.weather()), grow(datasets.weather(), CART)])([["sunny", "hot", "high", False]])
    ['no']
    >>> Forest([grow(datasets.weather())])({"outlook": "overcast"})
    'yes'
    """

    trees: Sequence[Tree] = field(converter=_as_trees)
    weights: tuple[float, ...] | None = field(default=None, kw_only=True, converter=optional(as_tuple))
    bags: Bags | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check that the trees have one schema, and a weight each."""
        listed: Sequence[Tree] = () if isinstance(self.trees, GrownTrees) else self.trees
        for tree in listed:
            check_tree(tree)
        if not len(self.trees) or len({_alike(tree.schema) for tree in listed}) > 1:
            raise ValueError(f"trees must be at least one tree, all of one schema, got {len(self.trees)} trees.")
        weights: Sequence[float] = (1.0,) if self.weights is None else self.weights
        fits = self.weights is None or len(weights) == len(self.trees)
        if not (fits and all(is_finite(each) and each >= 0 for each in weights) and any(weights)):
            raise ValueError(f"weights must be a finite number from 0 for each tree, not all 0, got {short_repr(self.weights)}.")

    def __call__(self, rows: Any) -> Any:
        """The label with the most votes for each row, or the mean, in the form of the rows; ties go to the first class."""
        schema, votes, labels = self.schema, self.votes(rows), _labels(self.schema)
        found = answers_of_votes(votes, "classes" if labels else "numbers")
        if not labels:
            return answers_in_kind(rows, schema, found, single=votes.ndim == 1)
        return labels_in_kind(rows, schema.target, labels, found) if np.ndim(found) else labels[int(found)]

    def votes(self, rows: Any) -> Floats:
        """The votes for each class, one a tree or its weight, for each row, (n, K), or for one row, (K,).

        Of numbers, how many trees answer, and the sum of their answers, each by the tree's weight, (n, 2) or (2,); of K numbers,
        (n, 1 + K) or (1 + K,).
        """
        rows = in_memory(rows)
        *_, single = columns_of(self.schema, rows, self._all_features)
        several = [rows] if single else rows
        routes = self._routes(several)
        if routes is None:
            votes = self._sum(_ballots(tree, several) for tree in self.trees)
        else:
            votes = routes.add_up(self._weights, by_label=True)
        return votes[0] if single else votes

    def predict_proba(self, rows: Any) -> Floats:
        """The mean of the trees' probabilities for each row, (n, K), or for one row, (K,), by the weights of the trees.

        Raises a ValueError for a regression forest.
        """
        require_classes(self.schema, "predict_proba", "a forest", "Call the forest.")
        rows = in_memory(rows)
        routes = self._routes(rows)
        if routes is None:
            return self._sum(np.asarray(predict_proba(tree, rows)) for tree in self.trees) / sum(self._weights)
        return routes.add_up(self._weights, by_label=False) / sum(self._weights)

    def out_of_bag(self, dataset: Dataset) -> OutOfBag:
        """The votes for each row, or each case of counts, of the trees that grew without it, given the rows of the forest.

        Raises a ValueError for a forest without bags, for another number of rows, and for answers that rows do not have.

        Source: Breiman 1996 (out-of-bag estimation).

        >>> from ftree import datasets
        >>> from ftree.study import random_forest
        >>> table = datasets.gaussian_clusters(200, seed=0)
        >>> found = random_forest(table, n_trees=25, seed=0).out_of_bag(table)
        >>> round(found.error, 3), found.n_in_every_bag
        (0.155, 0)
        """
        require_dataset(dataset)
        cases = dataset.cases()
        if self.bags is None or self.bags.n_rows != len(cases):
            wanted = "the rows of a forest that was grown from bags, as bagging and random_forest do"
            raise ValueError(f"dataset must be {wanted}, got {len(dataset)} rows for {self!r}.")
        votes = np.zeros((len(cases), self._n_votes))
        for number, ((drawn, _), weight) in enumerate(zip(self.bags.draw(), self._weights, strict=True)):
            left_out = np.flatnonzero(np.bincount(drawn, minlength=len(cases)) == 0)
            rows, row_of = np.unique(cases[left_out], return_inverse=True)
            votes[left_out] += weight * Forest(self.trees[number : number + 1]).votes(dataset.take(rows))[row_of]
        importances = dataset.weights if dataset.weights_are == "importances" else None
        several = len(dataset.further_targets) > 0 and _are_means(dataset.schema)
        of_labels = _labels(self.schema) != self.schema.classes
        if of_labels or self._n_votes != (2 + len(dataset.further_targets) if several else len(self.schema.classes) or 2):
            kind = dataset.schema.response.kind
            raise ValueError(f"dataset must have rows with one answer each to count errors, got {kind}. Call the forest.")
        labels = np.column_stack([dataset.target_column, *dataset.further_targets]) if several else numbers_of_rows(dataset)
        return OutOfBag(votes, labels[cases], importances)

    def proximities(self, rows: Any) -> Floats:
        """The share of trees in which two rows end in one leaf, (n, n), by the trees' weights; missing values as in `apply`.

        Source: Breiman 2001; Breiman & Cutler's program.

        >>> from ftree import datasets
        >>> from ftree.study import random_forest
        >>> table = datasets.gaussian_clusters(50, seed=0)
        >>> near = random_forest(table, n_trees=10, seed=0).proximities(table)
        >>> near.shape, float(near[0, 0])
        ((50, 50), 1.0)
        """
        rows = in_memory(rows)
        (*_, n, single), routes = columns_of(self.schema, rows, self._all_features), self._routes(rows)
        require_memory(16.0 * n**2, f"proximities of {n:,} rows", "Use fewer rows.")
        near, several = np.zeros((n, n)), [rows] if single else rows
        for number, weight in enumerate(self._weights):
            leaf = np.asarray(apply(self.trees[number], several)) if routes is None else routes.leaves(number)
            near += weight * (leaf[:, None] == leaf)
        return near / sum(self._weights)

    def importances(self, *, impurity: Impurity | None = None) -> dict[str, float]:
        """The mean of the trees' `ftree.importances` by their weights: each feature's share of the decrease in `impurity`.

        Raises a ValueError for an impurity that is not about the response, as `ftree.importances` does.

        >>> from ftree import datasets, gini
        >>> from ftree.study import random_forest
        >>> forest = random_forest(datasets.gaussian_clusters(200, seed=0), n_trees=10, seed=0)
        >>> {name: round(share, 2) for name, share in forest.importances(impurity=gini).items()}
        {'x0': 0.78, 'x1': 0.22}
        """
        schema, measure = self.schema, cast("Any", impurity_for(self.schema, impurity))

        def of_tree(tree: ThresholdNodes | Tree) -> Floats:
            if isinstance(tree, Tree):
                return np.array(list(importances(tree, impurity=impurity).values()))
            own = measure if schema.has_classes else measure.relative_to(tree.counts[0], schema.response)
            return tree.importances(own, schema)

        mean = self._sum(map(of_tree, self._nodes)) / sum(self._weights)
        return dict(zip((feature.name for feature in schema.features), mean.tolist(), strict=True))

    @property
    def schema(self) -> Schema:
        """The schema of all its trees."""
        return self.trees.schema if isinstance(self.trees, GrownTrees) else self.trees[0].schema

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return sum(tree.n_leaves if isinstance(tree, ThresholdNodes) else n_leaves(tree) for tree in self._nodes)

    @property
    def depth(self) -> int:
        """Depth of the deepest tree."""
        return max(tree.depth if isinstance(tree, ThresholdNodes) else depth(tree) for tree in self._nodes)

    def __repr__(self) -> str:
        """The forest's size, since its trees would fill many screens."""
        return f"<Forest for {self.schema.target!r}: {len(self.trees)} trees, {self.n_leaves} leaves>"

    @property
    def _nodes(self) -> Sequence[ThresholdNodes | Tree]:
        """The trees, in arrays where they were grown so."""
        return self.trees.nodes if isinstance(self.trees, GrownTrees) else self.trees

    @property
    def _weights(self) -> Sequence[float]:
        return (1.0,) * len(self.trees) if self.weights is None else self.weights

    @property
    def _all_features(self) -> range:
        """All features: the forest reports no unknown values itself, since each tree decides whether they count as missing."""
        return range(len(self.schema.features))

    @property
    def _n_votes(self) -> int:
        """The numbers of a vote: one a class; or one, and those of an answer."""
        response = self.schema.response
        of_answer = 1 if response.row_features else np.size(response.answer(self.trees[0].root.counts))
        return len(_labels(self.schema)) or 1 + of_answer

    def _sum(self, answers: Iterable[Floats]) -> Floats:
        """The sum of the trees' answers by their weights."""
        total = sum(weight * answer for weight, answer in zip(self._weights, answers, strict=True))
        return np.asarray(total)

    def _routes(self, rows: Any) -> "_Routes | None":
        """The ways of rows down all trees, for the native library; None where a value is missing or trees ask other questions."""
        if not (self.schema.has_classes or _are_means(self.schema)):
            return None
        columns, n, single, refuse_infinity = columns_to_route(self.schema, rows, self._all_features)
        if single or not columns or not native.is_here() or any(missing_cells(column).any() for column in columns):
            return None
        trees = [_walk(tree, self.schema) for tree in self._nodes]
        if any(ways is None for ways, *_ in trees):
            return None
        if refuse_infinity is not None:
            refuse_infinity()
        return _Routes(trees, columns, n)


def _are_means(schema: Schema) -> bool:
    """Whether answers are means of numbers."""
    return not schema.has_classes and response_of_sums(schema).squared > 0


def _alike(schema: Schema) -> tuple[Any, ...]:
    """What trees of a forest have in common: bags of numbers may add up in other parts of cases."""
    return schema.features, schema.target, schema.classes, schema.response.kind


def _ballots(tree: Tree, rows: Any) -> Floats:
    """What a tree adds to the votes for each row: one for its label, (n, K); or one and its numbers, (n, 1 + K)."""
    reached, rule, response = reach(tree, rows), rule_for(tree, None), tree.schema.response
    if tree.schema.has_classes:
        return np.eye(len(tree.schema.classes))[label_numbers(reached, rule)]
    answers = answers_of_rows(reached, cast("numbers", response), rule)
    if labels := _labels(tree.schema):
        return np.asarray(answers[:, None] == np.array(labels), dtype=np.float64)
    return np.column_stack([np.ones(len(answers)), answers])


def _labels(schema: Schema) -> tuple[Any, ...]:
    """The labels among which trees vote: the classes, or those of a response; none for numbers."""
    return schema.classes or schema.response.options.labels


class GrownTrees(Sequence[Tree]):
    """The trees of a forest that grew in arrays: each becomes nodes when it is first asked for.

    >>> from ftree import datasets, grow
    >>> GrownTrees(datasets.weather().schema, None, [grow(datasets.weather())])[0] == grow(datasets.weather())
    True
    """

    def __init__(self, schema: Schema, missing: PredictionRule | None, nodes: Sequence[ThresholdNodes | Tree]) -> None:
        """Keep the arrays, or the trees of those that grew otherwise."""
        self.schema, self.missing, self.nodes = schema, missing, tuple(nodes)
        self._made: dict[int, Tree] = {}

    def __len__(self) -> int:
        """Number of trees."""
        return len(self.nodes)

    @overload
    def __getitem__(self, number: int) -> Tree: ...
    @overload
    def __getitem__(self, number: slice) -> "GrownTrees": ...
    def __getitem__(self, number: Any) -> Any:
        """One tree, or some of them."""
        if isinstance(number, slice):
            return GrownTrees(self.schema, self.missing, self.nodes[number])
        place = range(len(self.nodes))[number]
        if place not in self._made:
            nodes = self.nodes[place]
            response = None if self.schema.has_classes else self.schema.response
            self._made[place] = (
                nodes
                if isinstance(nodes, Tree)
                else new_tree(self.schema, root_of(nodes.grown(), response), missing=self.missing)
            )
        return self._made[place]

    def __eq__(self, other: object) -> bool:
        """Whether the other has the same trees, as a tuple or in arrays."""
        return isinstance(other, (tuple, GrownTrees)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        """That of the tuple of trees."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """All trees, as a tuple has them."""
        return repr(tuple(self))


def _walk(tree: ThresholdNodes | Tree, schema: Schema) -> tuple[Any, Array | None, Floats]:
    """A tree in arrays for the native library, None if it asks more than thresholds; the label and class counts of each node.

    Of numbers no labels, and the votes of each node: one, and its answer.
    """
    if isinstance(tree, ThresholdNodes):
        nodes: Any = tree
        counts, own = tree.counts, schema
    else:
        nodes, own = flat(tree), tree.schema
        counts = nodes.counts[nodes.answer]
    if own.has_classes:
        return nodes.walk_arrays_of_table, nodes.labels, counts
    sums = without_limbs(counts, own.response) if isinstance(tree, ThresholdNodes) else counts
    votes = np.column_stack([np.ones(len(sums)), cast("numbers", own.response).answers(sums)])
    return nodes.walk_arrays_of_table, None, votes


@frozen(eq=False)
class _Routes:
    """The columns of n rows, none of whose values is missing, and trees of thresholds in arrays."""

    trees: Sequence[tuple[Any, Array | None, Floats]]
    columns: Columns
    n: int

    def leaves(self, number: int) -> Array:
        """The node of a tree where each row ends."""
        return self._leaves(self._cells(slice(self.n)), number)

    def add_up(self, weights: Sequence[float], *, by_label: bool) -> Floats:
        """The sum of the trees' votes or probabilities (n, K) by their weights, in threads that take blocks of rows."""
        added = np.zeros((self.n, self.trees[0][2].shape[1]))

        def down(first: int, last: int, _: int) -> None:
            for begin in range(first * block, min(last * block, self.n), block):
                rows = slice(begin, begin + block)
                cells = self._cells(rows)
                for number, (weight, (_, labels, counts)) in enumerate(zip(weights, self.trees, strict=True)):
                    leaf = self._leaves(cells, number)
                    if labels is None:
                        added[rows] += weight * counts[leaf]
                    else:
                        native.call("add_answers", counts, labels, leaf, weight, by_label, added[rows])

        with thread_pool(None) as threads:
            block = min(max(-(-self.n // threads.n), _LEAST_BLOCK), _MOST_BLOCK)
            threads.share(down, -(-self.n // block), self.n * len(self.trees))
        return added

    def _cells(self, rows: slice) -> Floats:
        return np.array([column[rows] for column in self.columns], np.float64)

    def _leaves(self, cells: Floats, number: int) -> Array:
        leaf = np.empty(cells.shape[1], np.intp)
        native.call("leaves", cells, False, *self.trees[number][0], leaf)  # noqa: FBT003  # the library has no keywords
        return leaf
