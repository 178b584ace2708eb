"""What the nodes of a picture show besides their answers: impurities and gains, and histograms of the rows of a dataset."""

from collections.abc import Callable, Sequence
from math import inf
from typing import TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import name_of
from ftree.criteria.impurity import Impurity, checked
from ftree.criteria.scores import gain
from ftree.data.cases import weights_of_rows
from ftree.data.changes import recoded_columns
from ftree.data.dataset import Dataset
from ftree.data.labelled import as_dataset
from ftree.show.outline import OutlineNode
from ftree.tree.conditions import Between
from ftree.tree.formats import TimeNumber, format_number
from ftree.tree.nodes import Branch, children
from ftree.tree.response import Counts
from ftree.tree.response_protocol import Response
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits.split import child_of, primary


def figures(schema: Schema, shown: Sequence[OutlineNode], impurity: Impurity) -> list[str]:
    """Each node's impurity, and the gain of its split if its children are shown.

    Without classes, they are the mean risk of a case, such as the squared error, and the decrease of that.

    >>> from ftree import datasets, entropy, grow
    >>> from ftree.show.outline import outline
    >>> tree = grow(datasets.weather())
    >>> figures(tree.schema, outline(tree), entropy)[0]
    'entropy 0.94, gain 0.247'
    """
    own, gained = _by_impurity(impurity) if schema.has_classes else _by_risk(schema.response)

    def told(part: OutlineNode) -> str:
        first = f"{name_of(impurity)} {own(part.node.counts):.3g}"
        below = [child.counts for child in children(part.node)] if part.below else []
        return f"{first}, gain {gained(part.node.counts, below):.3g}" if below else first

    return list(map(told, shown))


_Measures: TypeAlias = tuple[Callable[[Counts], float], Callable[[Counts, list[Counts]], float]]


def _by_impurity(impurity: Impurity) -> _Measures:
    """The impurity of the classes of a node, and the gain of its children."""
    return (
        lambda counts: float(checked(impurity, impurity(np.array(counts)), ())),
        lambda _, below: float(gain(below, impurity)),
    )


def _by_risk(response: Response) -> _Measures:
    """The mean risk of a case of a node, and by how much its children decrease it."""
    risk = response.risk
    return (
        lambda counts: risk(counts) / (counts[0] or 1),
        lambda counts, below: (risk(counts) - sum(map(risk, below))) / (counts[0] or 1),
    )


@frozen(eq=False)
class Histogram:
    """The rows of a node by a number: counts of bins and colours (B, K), the ends of the scale as texts, the cuts on it."""

    counts: Floats
    ends: tuple[str, str]
    cuts: tuple[float, ...]


def histograms(schema: Schema, shown: Sequence[OutlineNode], dataset: Dataset) -> dict[int, Histogram]:
    """The histogram of each shown branch that cuts a number, by the node's number; rows without an answer go no further.

    >>> from ftree import grow
    >>> from ftree.show.outline import outline
    >>> rides = Dataset.from_rows([[1.0], [2.0], [3.0]], ["no", "yes", "no"], features=["wind"])
    >>> tree = grow(rides)
    >>> {number: chart.ends for number, chart in histograms(tree.schema, outline(tree), rides).items()}
    {0: ('1', '3'), 2: ('2', '3')}
    """
    table = as_dataset(schema, dataset)
    columns = recoded_columns(table, schema.features)
    labels, weights = shown[0].looks.numbers(table), weights_of_rows(table)
    reached, found = {0: np.nonzero(labels >= 0)[0]}, dict[int, Histogram]()
    for number, part in enumerate(shown):
        if not (isinstance(part.node, Branch) and part.below):
            continue
        split, rows = part.node.split, reached.pop(number)
        child = child_of(split, *(columns[feature][rows] for feature in split.features))
        reached |= {kid: rows[child == place] for place, kid in enumerate(part.below)}
        cuts = [each for each in primary(split).conditions if isinstance(each, Between) and each.at_most < inf]
        feature = schema.features[primary(split).features[0]]
        if cuts and feature.kind == "numeric" and len(rows):
            values = columns[primary(split).features[0]][rows]
            found[number] = _binned(feature, values, labels[rows], weights[rows], [each.at_most for each in cuts])
    return found


# Bins of a histogram.
_BINS = 20


def _binned(feature: Feature, values: Floats, labels: Array, weights: Array, cuts: Sequence[float]) -> Histogram:
    known = ~np.isnan(values)
    low, high = min([*cuts, *values[known]]), max([*cuts, *values[known]])
    bins = np.minimum((values[known] - low) / ((high - low) or 1) * _BINS, _BINS - 1).astype(np.intp)
    counts = np.zeros((_BINS, int(labels.max(initial=0)) + 1))
    np.add.at(counts, (bins, labels[known]), weights[known])
    first, last = (format_number(TimeNumber(end, feature.time) if feature.time else end, decimals=2) for end in (low, high))
    return Histogram(counts, (first, last), tuple((cut - low) / ((high - low) or 1) for cut in cuts))
