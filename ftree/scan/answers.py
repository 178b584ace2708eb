"""A tree's predictions for rows that are not in memory, part by part: accuracy, and labels in a file."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.fields import require_path
from ftree._lib.machine import complete_or_nothing
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.routing.predict import predict
from ftree.scan.part_datasets import dataset_of, fold_datasets
from ftree.scan.parts import CountedParts
from ftree.scan.source import Source, parts_in_order
from ftree.tree.nodes import Tree, check_tree


def confusion_counts(tree: Tree, source: CountedParts, **options: Any) -> Array:
    """The weights of a source's rows by true class (rows) and predicted class (columns), (K, K); options as for `predict`.

    >>> from ftree import grow
    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> confusion_counts(grow(source), source).tolist()
    [[1, 0], [0, 2]]
    """
    check_tree(tree, of_classes="confusion_counts")
    counts: Array = fold_datasets(source, partial(_confusion, tree, options), np.add)
    return counts


def predict_to(path: str | Path, tree: Tree, source: Source, *, name: str = "predicted", **options: Any) -> int:
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
    if not isinstance(name, str):
        raise TypeError(f"name must be a str, got {short_repr(name)}.")
    if place.is_dir():
        raise IsADirectoryError(f"path must be that of a file, got {short_repr(str(place))}, which is a folder.")
    with complete_or_nothing(place) as unfinished:
        return _write_labels(unfinished, tree, source, name, options)


def _write_labels(path: Path, tree: Tree, source: Source, name: str, options: dict[str, Any]) -> int:
    import pyarrow as pa  # noqa: PLC0415  # an extra; a table in batches has loaded it
    from pyarrow import parquet  # noqa: PLC0415  # as above

    parts = parts_in_order(source)
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


def _confusion(tree: Tree, options: dict[str, Any], dataset: Dataset) -> Array:
    predicted = predict(tree, dataset, **options)
    code = {label: number for number, label in enumerate(dataset.schema.classes)}
    n = len(code)
    flat = dataset.target_column.astype(np.int64) * n + np.array([code[label] for label in predicted], dtype=np.int64)
    return np.bincount(flat, dataset.weights, n * n).reshape(n, n)
