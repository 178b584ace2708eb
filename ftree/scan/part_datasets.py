"""A part as a dataset, so that functions of rows in memory work on a source: counts, observed values, small nodes' rows.

And a part of numbers as one of classes, so that what counts classes adds up numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import log2
from operator import add
from typing import Any

import numpy as np
from attrs import evolve, frozen
from toolz import compose

from ftree._lib.arrays import Array, Floats, exact_unit
from ftree.data.channels import rows_in_channels
from ftree.data.coding import smallest_integers
from ftree.data.dataset import Dataset
from ftree.routing.counting import count_cases
from ftree.scan.batches import Answer, groups_up_to
from ftree.scan.parts import Bins, CountedParts, Part, SourceSummary, check_same_counts, joined_parts, require_source
from ftree.scan.routes import Routes, routes_of_tree, rows_at_nodes
from ftree.tree.edit import subtree_at
from ftree.tree.nodes import Branch, Counts, Path, Tree, check_tree, preorder
from ftree.tree.response import BITS


def dataset_of(part: Part, summary: SourceSummary) -> Dataset:
    """The rows of a part."""
    rows = zip(part.codes, summary.numeric.tolist(), summary.n_codes.tolist(), summary.bins, strict=True)
    columns = [_codes(codes, n) if bins is None else numbers_of(codes, part.numbers[row], bins) for codes, row, n, bins in rows]
    if summary.response is not None:
        return Dataset(summary.schema_of_trees, columns, np.array(summary.schema.classes, np.float64)[part.labels], part.weights)
    return Dataset(summary.schema, columns, smallest_integers(part.labels, len(summary.schema.classes)), part.weights)


def numbers_of(codes: Array, numbers: Floats, bins: Bins) -> Floats:
    """The numbers of a feature as growth sees them: if bins are exact, those of the bins."""
    return np.append(bins.upper, np.nan)[codes] if bins.exact else numbers


def fold_datasets(
    source: CountedParts, function: Callable[[Dataset], Answer], merge: Callable[[Answer, Answer], Answer]
) -> Answer:
    """The results of a function of datasets for all parts, merged. Raises a TypeError for anything but a source."""
    require_source(source)
    answer: Answer = source.fold(compose(function, partial(dataset_of, summary=source.summary)), merge)
    return answer


def _codes(codes: Array, n_values: int) -> Array:
    known = codes.astype(np.int64)
    return smallest_integers(np.where(known == n_values, -1, known), n_values)


def count_nodes(tree: Tree, source: CountedParts) -> list[Counts]:
    """Class counts of a source's rows at each node of a tree, in level order; rows without an answer are divided by weight.

    Raises a ValueError for a source with another schema than the tree's.

    >>> from ftree import grow
    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> count_nodes(grow(source), source)
    [(1, 2), (1, 0), (0, 2)]
    """
    check_tree(tree, of_classes="count_nodes")
    require_source(source)
    if source.summary.schema != tree.schema:
        raise ValueError("source must have the schema of the tree, got another one. Survey it with the tree's kinds and classes.")
    counts: Array = fold_datasets(source, partial(_counts, tree, float(sum(source.summary.class_counts))), np.add)
    whole = counts.astype(np.int64)
    rows = (whole if (counts == whole).all() else counts).tolist()
    return list(map(tuple, rows))


def _counts(tree: Tree, total: float, dataset: Dataset) -> Array:
    return np.array(count_cases(tree.root, dataset.recoded(tree.schema), total=total), dtype=np.float64)


def observed_values(tree: Tree, source: CountedParts) -> list[Floats | None]:
    """For each feature with thresholds, the smallest and the largest value between any two of them, in order; else None."""
    thresholds = _thresholds(tree, source.summary)
    if not any(len(own) for own in thresholds):
        return [None] * len(thresholds)
    ends: Array = source.fold(partial(_ends_of_ranges, thresholds, source.summary), np.maximum)
    each = np.split(ends, np.cumsum([len(own) + 1 for own in thresholds])[:-1])
    found = [np.unique(np.append(most, -least)) for most, least in (own.T for own in each)]
    return [values[np.isfinite(values)] if len(own) else None for own, values in zip(thresholds, found, strict=True)]


def _thresholds(tree: Tree, summary: SourceSummary) -> list[Floats]:
    found: list[set[float]] = [set() for _ in summary.bins]
    for node in preorder(tree.root):
        at = getattr(node.split, "at", None) if isinstance(node, Branch) else None
        if isinstance(node, Branch) and isinstance(at, float) and summary.bins[node.split.features[0]] is not None:
            found[node.split.features[0]].add(at)
    return [np.array(sorted(own), dtype=np.float64) for own in found]


def _ends_of_ranges(thresholds: Sequence[Floats], summary: SourceSummary, part: Part) -> Array:
    """The largest and the negated smallest number (R, 2) of each range between thresholds, -inf for an empty one."""
    found = [np.full((len(own) + 1, 2), -np.inf) for own in thresholds]
    for feature, (own, bins, ends) in enumerate(zip(thresholds, summary.bins, found, strict=True)):
        if bins is not None and len(own):
            numbers = numbers_of(part.codes[feature], part.numbers[summary.numeric[feature]], bins)
            known = numbers[~np.isnan(numbers)]
            place = np.searchsorted(own, known)
            np.maximum.at(ends[:, 0], place, known)
            np.maximum.at(ends[:, 1], place, -known)
    return np.concatenate(found)


def rows_at(source: CountedParts, tree: Tree, paths: Sequence[Path], most_rows: int) -> Iterator[tuple[Path, Dataset]]:
    """The rows of each leaf with one of the paths, at most `most_rows` at a time; leaves with more cases must be excluded."""
    sizes = [sum(subtree_at(tree, path).root.counts) for path in paths]
    for group in groups_up_to(range(len(sizes)), sizes.__getitem__, most_rows):
        some = [paths[number] for number in group]
        routes = routes_of_tree(tree.root, some, source.summary, missing="ignore", unit=1.0)
        parts = source.fold(partial(rows_in_nodes, routes, source.summary.numeric), add)
        for number, path in enumerate(some):
            own = [part.take(node == number) for node, part in parts]
            dataset = dataset_of(joined_parts(own), source.summary)
            check_same_counts(np.array(dataset.class_counts()), np.array(subtree_at(tree, path).root.counts))
            yield path, dataset


def rows_in_nodes(routes: Routes, numeric: Array, part: Part) -> list[tuple[Array, Part]]:
    """The rows of a part in open nodes, after the node of each (n,); no row is divided between nodes."""
    node, entries = rows_at_nodes(routes, part, numeric)
    if node is None:
        return [(entries.node, part.take(entries.row))]
    row = np.flatnonzero(node >= 0)
    return [(node[row], part.take(row))]


# Rows of numbers in the channels of their sums, in place of classes


@frozen(eq=False)
class InChannels:
    """A source of numbers as one of classes: each row stands once for each channel of `ftree.data.channels`, as its class.

    So what counts rows by class adds up sums of numbers. A case of each distinct number adds `adds` (K, C) times `unit` (C,).
    """

    source: CountedParts
    adds: Array
    unit: Floats
    summary: SourceSummary

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any]) -> Any:
        """The sums (..., C) that a function counts in all parts in channels, or its `Values`, merged."""
        answer = self.source.fold(compose(function, partial(_in_channels, self.adds)), merge)
        if isinstance(answer, tuple):
            return tuple([piece._replace(cases=piece.cases * self.unit[piece.label]) for piece in answer])
        return answer * self.unit


def in_channels(source: CountedParts) -> InChannels:
    """A source of numbers as one of classes, which are the channels."""
    summary = source.summary
    rows = rows_in_channels(summary.distinct_targets())
    # Digits that rows_in_channels gives a limb, of which no sum of all cases is rounded.
    bits = min(BITS, int(-log2(exact_unit(sum(summary.class_counts), len(summary.bins)))))
    unit = np.exp2(np.maximum(np.frexp(rows.max(axis=0))[1] - bits, 0))
    adds = (rows / unit).astype(np.int64)
    schema = evolve(summary.schema, classes=tuple(range(len(unit))))
    counts = tuple((np.array(summary.class_counts, np.int64) @ adds * unit).tolist())
    return InChannels(source, adds, unit, evolve(summary, schema=schema, class_counts=counts, response=None))


def _in_channels(adds: Array, part: Part) -> Part:
    """The rows of a part, each once for each channel to which it adds something."""
    weights = adds[part.labels].T if part.weights is None else adds[part.labels].T * part.weights
    channel, row = np.nonzero(weights)
    return Part(part.codes[:, row], part.numbers[:, row], channel.astype(np.uint8), weights[channel, row])
