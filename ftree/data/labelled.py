"""A labelled table of any library, as a dataset in the codes of a tree's schema."""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from ftree.data.coding import classes_of, encode, encode_all
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.frames import Table, as_table
from ftree.data.given_rows import columns_in_order, table_of
from ftree.data.missing_values import USUALLY_MISSING
from ftree.data.table import read_labels
from ftree.data.times import check_times
from ftree.data.unseen import Unseen, check_unseen
from ftree.tree.schema import Feature, Schema


def as_dataset(schema: Schema, rows: Any, *, unseen: Unseen = "missing") -> Dataset:
    """A dataset unchanged, or a table of named columns, one of them the target, as a dataset in the codes of the schema.

    Labels that the schema does not have become additional classes.

    Raises a TypeError for any other argument, a KeyError for a column that the table does not have, and, where `unseen` is
    "raise", a ValueError for a value that the schema does not know.

    >>> schema = Schema([Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes"))
    >>> as_dataset(schema, {"ride": ["no", "perhaps"], "sky": ["blue", "grey"]})
    Dataset of 2 rows: sky nominal(2) -> ride: no 1, yes 0, perhaps 1
    """
    table = dataset_or_table(rows, "dataset")
    check_unseen(schema, table, unseen)
    return table if isinstance(table, Dataset) else _coded(schema, table)


def _coded(schema: Schema, table: Table) -> Dataset:
    labels = read_labels(schema.target, table.column(schema.target))
    present = classes_of(schema.target, labels, USUALLY_MISSING.but(schema.classes))
    known = set(schema.classes)
    whole = evolve(schema, classes=[*schema.classes, *(label for label in present if label not in known)])
    given = columns_in_order(schema, table)
    columns = encode_all(schema.features, given, USUALLY_MISSING)
    check_times(schema.features, given, columns)
    return Dataset(whole, columns, encode(Feature(whole.target, "nominal", whole.classes), labels, USUALLY_MISSING))


def dataset_or_table(rows: Any, name: str) -> Any:
    """Convert the argument of that name: a dataset stays unchanged, a table of named columns is read.

    Raises a TypeError for anything else.
    """
    table = _table(rows)
    if table is None:
        require_dataset(rows, name)
    return rows if table is None else table


def _table(rows: Any) -> Table | None:
    if isinstance(rows, Dataset):
        return None
    if isinstance(rows, Sequence) and rows and all(isinstance(row, Mapping) for row in rows):
        return as_table(rows)
    return table_of(rows)
