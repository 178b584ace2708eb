"""Hypothesis strategies for schemas, datasets, splits and trees."""

from collections.abc import Collection
from itertools import cycle, pairwise
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ftree._lib.fields import require_count
from ftree.data.dataset import Dataset
from ftree.responses.events import events
from ftree.tree import response as responses
from ftree.tree.additive import exact_sums
from ftree.tree.edit import branch_of
from ftree.tree.nodes import Branch, Leaf, Tree
from ftree.tree.response_protocol import ResponseOfSums
from ftree.tree.schema import Feature, Kind, Schema, response_of_sums
from ftree.tree.splits import (
    Groups,
    Intervals,
    IsMissing,
    Multiway,
    Oblique,
    Subset,
    Surrogate,
    Threshold,
    WithDefault,
    WithSurrogates,
)
from ftree.tree.splits.split import Split

KINDS: tuple[Kind, ...] = ("nominal", "ordinal", "numeric")
LABELS = ("no", "maybe", "yes")
VALUES = ("a", "b", "c", "d")


@st.composite
def schemas(
    draw: DrawFn,
    *,
    max_features: int = 3,
    kinds: Collection[Kind] = KINDS,
    response: Literal["classes", "numbers", "events"] = "classes",
    n_classes: int | None = None,
) -> Schema:
    """Schemas of up to `max_features` features of the given kinds, with 2 to 4 values, and a target.

    It has 1 to 3 classes, or `n_classes`, or the response named.

    >>> from hypothesis import find
    >>> len(find(schemas(), lambda schema: len(schema.features) > 1).features) > 1
    True
    """
    features = []
    for number in range(draw(st.integers(1, max_features))):
        kind = draw(st.sampled_from(sorted(kinds)))
        values = () if kind == "numeric" else VALUES[: draw(st.integers(2, len(VALUES)))]
        features.append(Feature(f"f{number}", kind, values))
    if response == "numbers":
        # Most answers of trees with a low centre are negative, and their sums too where rows are divided.
        centre, unit = draw(st.integers(-4, 4) | st.integers(-80, -5)) / 4, draw(st.sampled_from([0.25, 1.0, 1024.0]))
        return Schema(features, "number", (), response=responses.numbers(centre, unit))
    if response == "events":
        own = events("years", shrink=draw(st.sampled_from([0.0, 0.5, 1.0])), rate=draw(st.sampled_from([0.0, 0.3, 2.0])))
        return Schema(features, "n", (), response=exact_sums(own).of([0.0, 9.0], [0.5, 3.0]))
    return Schema(features, "label", LABELS[: n_classes or draw(st.sampled_from([2, 3, 2, 3, 2, 3, 1]))])


@st.composite
def datasets(
    draw: DrawFn,
    *,
    schema: Schema | None = None,
    min_rows: int = 1,
    max_rows: int = 16,
    missing: bool = False,
    weighted: bool = False,
    response: Literal["classes", "numbers", "events"] = "classes",
) -> Dataset:
    """Datasets of small numbers and codes, with missing values if `missing`, with weights from 1 to 3 if `weighted`.

    Without a schema, `response` is the kind of the target.

    >>> from hypothesis import find
    >>> len(find(datasets(), lambda dataset: len(dataset) > 1).schema.classes) > 0
    True
    """
    described = draw(schemas(response=response)) if schema is None else schema
    n = draw(st.integers(min_rows, max_rows))

    def cells(least: int, most: int) -> Any:
        return draw(st.lists(st.integers(least, most), min_size=n, max_size=n))

    columns = []
    for feature in described.features:
        if feature.kind == "numeric":
            numbers = np.array(cells(-1 if missing else 0, 4), dtype=float)
            columns.append(np.where(numbers < 0, np.nan, numbers))
        else:
            columns.append(np.array(cells(-1 if missing else 0, len(feature.values) - 1), dtype=np.int8))
    weights = np.array(cells(1, 3)) if weighted else None
    if not described.has_classes:
        values, *further = draw(_rows_of(response_of_sums(described), n))
        return Dataset(described, columns, values, weights, further_targets=further)
    labels = np.array(cells(0, len(described.classes) - 1), dtype=np.int8)
    return Dataset(described, columns, labels, weights)


@st.composite
def splits(draw: DrawFn, schema: Schema, *, sums: bool = True, surrogates: bool = True, defaults: bool = True) -> Split:
    """Splits that fit the schema; without `sums` and `surrogates`, splits of a single feature.

    Without `defaults`, none has a child for missing values of its only feature.

    >>> from hypothesis import find
    >>> from ftree.datasets import xor
    >>> find(splits(xor().schema), lambda split: True).n_children > 1
    True
    """
    numbers = [number for number, feature in enumerate(schema.features) if feature.kind == "numeric"]
    if sums and numbers and draw(st.integers(0, 3)) == 0:
        return draw(_sums(len(schema.features), numbers))
    if surrogates and draw(st.integers(0, 3)) == 0:
        return draw(_with_surrogates(schema))
    number = draw(st.integers(0, len(schema.features) - 1))
    split = draw(_binary(schema, number) if draw(st.booleans()) else _multiway(schema, number))
    if not defaults or draw(st.integers(0, 3)):
        return split
    child = draw(st.integers(0, split.n_children + 1))
    return IsMissing(number) if child > split.n_children else WithDefault(split, default_child=child, unseen=draw(st.booleans()))


@st.composite
def _binary(draw: DrawFn, schema: Schema, number: int) -> Threshold | Subset:
    feature = schema.features[number]
    if feature.kind == "nominal":
        return Subset(number, draw(st.sets(_codes(feature), min_size=1)))
    return Threshold(number, draw(_cuts(feature)))


def _surrogate_splits(schema: Schema, number: int) -> SearchStrategy[Threshold | Subset | Groups]:
    """Binary splits, with or without a child for every value."""
    binary = _binary(schema, number)
    return binary | _two_groups(schema, number) if schema.features[number].kind == "nominal" else binary


@st.composite
def _two_groups(draw: DrawFn, schema: Schema, number: int) -> Groups:
    codes = draw(st.lists(_codes(schema.features[number]), min_size=2, unique=True))
    end = draw(st.integers(1, len(codes) - 1))
    return Groups(number, (codes[:end], codes[end:]))


@st.composite
def _multiway(draw: DrawFn, schema: Schema, number: int) -> Split:
    """Intervals of an ordered feature; of a nominal one a child for each of some values, or for groups of them."""
    feature = schema.features[number]
    if feature.kind != "nominal":
        return Intervals(number, sorted(draw(st.sets(_cuts(feature), min_size=1, max_size=3))))
    codes = draw(st.lists(_codes(feature), min_size=1, unique=True))
    if draw(st.booleans()):
        return Multiway(number, sorted(codes))
    ends = sorted(draw(st.sets(st.integers(1, len(codes)), max_size=2)) | {len(codes)})
    return Groups(number, [codes[start:end] for start, end in pairwise([0, *ends])])


@st.composite
def _with_surrogates(draw: DrawFn, schema: Schema) -> WithSurrogates:
    """A binary split with up to two surrogates on other features, if there are any; agreements are tenths."""
    number = draw(st.integers(0, len(schema.features) - 1))
    others = [other for other in range(len(schema.features)) if other != number]
    shares = st.integers(0, 10).map(lambda tenths: tenths / 10)
    split = st.sampled_from(others or [number]).flatmap(lambda other: _surrogate_splits(schema, other))
    surrogate = st.builds(Surrogate, split, reversed=st.booleans(), agreement=shares, adjusted=shares)
    surrogates = draw(st.lists(surrogate, max_size=2)) if others else []
    return WithSurrogates(draw(_binary(schema, number)), surrogates, default_child=draw(st.sampled_from([None, 0, 1])))


def _codes(feature: Feature) -> SearchStrategy[int]:
    return st.integers(0, len(feature.values) - 1)


def _cuts(feature: Feature) -> SearchStrategy[float]:
    """Halves, so that some equal values of a numeric feature; between the codes of an ordinal feature, or above all codes."""
    return st.integers(0, 7).map(lambda n: n / 2) if feature.kind == "numeric" else _codes(feature).map(lambda code: code + 0.5)


@st.composite
def _sums(draw: DrawFn, n_features: int, numbers: list[int]) -> Oblique:
    """A weighted sum of some of the numeric features; weights are quarters, so that sums often equal the threshold."""
    chosen = draw(st.sets(st.sampled_from(numbers), min_size=1))
    weights = [draw(st.sampled_from([-2, -1, -0.25, 0.5, 1, 1.5])) if number in chosen else 0 for number in range(n_features)]
    return Oblique(weights, draw(st.integers(-8, 16)) / 4)


@st.composite
def trees(
    draw: DrawFn,
    *,
    schema: Schema | None = None,
    max_leaves: int = 12,
    min_count: int = 0,
    sums: bool = True,
    surrogates: bool = True,
    defaults: bool = True,
    fractions: bool = False,
    response: Literal["classes", "numbers", "events"] = "classes",
) -> Tree:
    """Trees of up to `max_leaves` leaves, whose branches have the sums of their children's counts.

    With `fractions`, counts are quarters, as if cases with missing values had been divided. Without a schema, `response` is the
    kind of the target; regression trees have whole cases.

    >>> from hypothesis import find
    >>> from ftree import n_leaves
    >>> n_leaves(find(trees(), lambda tree: n_leaves(tree) > 1)) > 1
    True
    """
    described = draw(schemas(response=response)) if schema is None else schema
    count = st.integers(4 * min_count, 20).map(lambda n: n / 4) if fractions else st.integers(min_count, 5)
    counted = st.lists(count, min_size=len(described.classes), max_size=len(described.classes))
    if not min_count:  # some leaves have no case
        counted = st.tuples(counted, st.sampled_from([1] * 5 + [0])).map(lambda drawn: [n * drawn[1] for n in drawn[0]])
    if not described.has_classes:
        counted = st.integers(min_count, 4).flatmap(lambda n: _sums_of_rows(response_of_sums(described), n))
    budget = draw(st.integers(1, max_leaves))
    # Splits divide classes where the lowest class is the largest of a leaf, and the highest that of the next one.
    ways = cycle((True, False)) if described.has_classes and draw(st.booleans()) else None

    def shape(leaves_allowed: int) -> Any:
        split = draw(splits(described, sums=sums, surrogates=surrogates, defaults=defaults)) if leaves_allowed > 1 else None
        if split is None or split.n_children > leaves_allowed or draw(st.sampled_from([True, *[False] * 9])):
            return Leaf(draw(counted) if ways is None else sorted(draw(counted), reverse=next(ways)))
        spare = leaves_allowed - split.n_children
        nodes = []
        for _ in range(split.n_children):
            extra = draw(st.integers(0, spare))
            spare -= extra
            nodes.append(shape(1 + extra))
        return branch_of(split, nodes)

    return Tree(described, shape(budget))


@st.composite
def _rows_of(draw: DrawFn, response: ResponseOfSums, n: int) -> list[Any]:
    """Small numbers of n rows, on the grid of the response, and the further columns that it reads, such as exposures."""
    drawn = np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), dtype=np.float64)
    exposures = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n)
    further = [np.array(draw(exposures)) for _ in response.further_targets]
    return [response.centre + getattr(response, "unit", 1.0) * drawn, *further]


@st.composite
def _sums_of_rows(draw: DrawFn, response: ResponseOfSums, n: int) -> list[float]:
    """What n such rows add up to."""
    return [n, *(int(column.sum()) for column in response.wholes(*draw(_rows_of(response, n))))]


def chain(depth: int) -> Tree:
    """A tree of any depth with one leaf on each level, for tests of deep trees.

    Raises a ValueError for anything but a whole number from 0.

    >>> chain(2).root.children[1]
    Branch(counts=(1, 1), split=Threshold(feature=0, at=1.5), children=(Leaf(counts=(0, 1)), Leaf(counts=(1, 0))))
    """
    require_count("depth", depth, 0)
    counts = (1, 0), (0, 1)
    root: Leaf | Branch = Leaf(counts[depth % 2])
    for level in reversed(range(depth)):
        leaf = Leaf(counts[level % 2])
        root = Branch(np.add(leaf.counts, root.counts).tolist(), Threshold(0, level + 0.5), [leaf, root])
    return Tree(Schema([Feature("x", "numeric")], "class", ("even", "odd")), root)
