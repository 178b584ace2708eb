"""The battery for tables in parts, which `ftree.scan.survey` takes."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.fields import require_function
from ftree.data.coding import decode
from ftree.data.dataset import Dataset
from ftree.growth.grow import grow
from ftree.policy import ID3
from ftree.scan.reading import RawPart, RawTable
from ftree.scan.streams import survey
from ftree.testing.laws import law, trying
from ftree.testing.strategies import datasets


def check_source(make: Callable[[Mapping[str, Any], int], RawTable]) -> None:
    """Check a table in parts: each row is in one part, in any order, and it grows the tree of the whole table.

    `make` takes columns by name, lists in which None is missing, and the number of rows of a part.

    >>> from ftree.scan.batches import batches_of
    >>> import pyarrow as pa
    >>> check_source(lambda columns, rows: batches_of(pa.table(dict(columns)), cells=rows * len(columns)))
    """
    require_function("make", make)

    @trying()
    @given(datasets(missing=True), st.integers(1, 9))
    def counts_and_grows(dataset: Dataset, rows: int) -> None:
        columns = _columns(dataset)
        table = make(columns, rows)
        law("the names are those of the columns", tuple(table.names) == tuple(columns), got=table.names, wanted=tuple(columns))
        for _ in range(2):
            n = table.fold(_n_rows, int.__add__)
            law("each row is in one part, each time", n == len(dataset), got=n, wanted=len(dataset), rows=rows)
        options: dict[str, Any] = {
            "kinds": {feature.name: _kind(feature) for feature in dataset.schema.features},
            "classes": dataset.schema.classes,
        }
        whole = grow(Dataset.from_columns(columns, target="label", **options), ID3)
        grown = grow(survey(table, "label", **options), ID3)
        law("it grows the tree of the whole table", grown == whole, got=str(grown), wanted=str(whole), rows=rows)

    counts_and_grows()


def _columns(dataset: Dataset) -> dict[str, Any]:
    features = zip(dataset.schema.features, dataset.columns, strict=True)
    labels = [dataset.schema.classes[code] for code in dataset.labels.tolist()]
    return {**{feature.name: decode(feature, column) for feature, column in features}, "label": labels}


def _kind(feature: Any) -> Any:
    return feature.values if feature.kind == "ordinal" else feature.kind


def _n_rows(part: RawPart) -> int:
    lengths = {len(column) for column in part.values()}
    law("the columns of a part are equally long", len(lengths) == 1, got=sorted(lengths))
    return lengths.pop()
