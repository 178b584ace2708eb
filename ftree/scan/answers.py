"""What a tree and a source say of each other, part by part: counts, accuracy, labels in a file, the values beside thresholds."""

from collections.abc import Hashable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import require_path
from ftree._lib.machine import complete_or_nothing
from ftree._lib.messages import short_repr
from ftree.data.changes import codes_of_labels, require_common_class
from ftree.data.dataset import Dataset
from ftree.routing.counting import count_cases, rows_to_count
from ftree.routing.predict import predict
from ftree.scan.parts import Part, SourceSummary, dataset_of, numbers_of
from ftree.scan.table_parts import CountedParts, require_source
from ftree.tree.nodes import Branch, Tree, check_tree, preorder
from ftree.tree.response import Counts
from ftree.tree.schema import require_classes

if TYPE_CHECKING:
    from ftree.scan.source import Source


def count_nodes(tree: Tree, source: "Source") -> list[Counts]:
    """Class counts of a source's rows at each node of a tree, in level order; rows without an answer are divided by weight.

    A value that the tree's schema does not know has no answer.

    Raises a KeyError for a feature that the source lacks, a ValueError for one of another kind, and for a class that the tree
    does not have.

    >>> from ftree import grow
    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> count_nodes(grow(source), source)
    [(1, 2), (1, 0), (0, 2)]
    """
    check_tree(tree, of_classes="count_nodes")
    require_source(source)
    _require_classes(tree, source, "count_nodes")
    counts: Array = source.fold_datasets(partial(_counts, tree, float(sum(source.summary.class_counts))), np.add)
    whole = counts.astype(np.int64)
    rows = (whole if (counts == whole).all() else counts).tolist()
    return list(map(tuple, rows))


def _require_classes(tree: Tree, source: "Source", name: str) -> None:
    """Raise a ValueError where a function of that name is given a source without classes, or with none of the tree's."""
    require_classes(source.schema, name, "a source")
    require_common_class(tree.schema.classes, source.schema.classes)


def _counts(tree: Tree, total: float, dataset: Dataset) -> Array:
    # A survey lists the values that occur in its table, which are not always those of the tree.
    seeing, rows = rows_to_count(tree, dataset)
    return np.array(count_cases(seeing.root, rows, total=total), dtype=np.float64)


def confusion_counts(tree: Tree, source: "Source", **options: Any) -> Array:
    """The weights of a source's rows by true class (rows) and predicted class (columns), (K, K); options as for `predict`.

    The classes are in the order of `confusion`: the tree's, then those that only the source has.

    Raises a ValueError for a source without classes, or with none of the tree's.

    >>> from ftree import grow
    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> confusion_counts(grow(source), source).tolist()
    [[1, 0], [0, 2]]
    """
    check_tree(tree, of_classes="confusion_counts")
    require_source(source)
    _require_classes(tree, source, "confusion_counts")
    classes = tuple(dict.fromkeys((*tree.schema.classes, *source.schema.classes)))
    return source.fold_datasets(partial(_confusion, tree, classes, options), np.add)


def _confusion(tree: Tree, classes: Sequence[Hashable], options: dict[str, Any], dataset: Dataset) -> Array:
    true = codes_of_labels(dataset.schema.classes, classes)[dataset.target_column]
    predicted = codes_of_labels(list(predict(tree, dataset, **options)), classes)
    n = len(classes)
    return np.bincount(true * n + predicted, dataset.weights, n * n).reshape(n, n)


def predict_to(path: str | Path, tree: Tree, source: "Source", *, name: str = "predicted", **options: Any) -> int:
    """Write a tree's label for each row of a source, in order, as a column of a Parquet file; the result is their number.

    The source reads its table in batches, as `survey` does for files and queries. Options as for `predict`. The file gets its
    name only when it is complete; an existing file of that name is replaced.

    Raises a TypeError for arguments of other types, a ValueError for classes that Arrow cannot hold in one column.

    >>> import tempfile
    >>> from ftree import grow
    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     predict_to(f"{folder}/labels.parquet", grow(source), source)
    3
    """
    place = require_path(path)
    check_tree(tree, of_classes="predict_to")
    require_source(source)
    if not isinstance(name, str):
        raise TypeError(f"name must be a str, got {short_repr(name)}.")
    if place.is_dir():
        raise IsADirectoryError(f"path must be that of a file, got {short_repr(str(place))}, which is a folder.")
    with complete_or_nothing(place) as unfinished:
        return _write_labels(unfinished, tree, source, name, options)


def _write_labels(path: Path, tree: Tree, source: "Source", name: str, options: dict[str, Any]) -> int:
    import pyarrow as pa  # noqa: PLC0415  # an extra; a table in batches has loaded it
    from pyarrow import parquet  # noqa: PLC0415  # as above

    parts = source.parts.in_order()
    try:
        kinds = pa.array(list(tree.schema.classes)).type
    except (pa.ArrowException, OverflowError):
        raise ValueError(f"tree must have classes of one type that Arrow knows, got {short_repr(tree.schema.classes)}.") from None
    schema, n_rows = pa.schema([(name, kinds)]), 0
    with parquet.ParquetWriter(path, schema) as writer:
        for part in parts:
            labels = list(predict(tree, dataset_of(part, source.summary), **options))
            writer.write_table(pa.table({name: pa.array(labels, kinds)}, schema))
            n_rows += len(labels)
    return n_rows


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
    features = zip(thresholds, part.codes, summary.numeric.tolist(), summary.bins, found, strict=True)
    for own, codes, row, bins, ends in features:
        if bins is not None and len(own):
            numbers = numbers_of(codes, part.numbers[row], bins)
            known = numbers[~np.isnan(numbers)]
            place = np.searchsorted(own, known)
            np.maximum.at(ends[:, 0], place, known)
            np.maximum.at(ends[:, 1], place, -known)
    return np.concatenate(found)
