"""A labelled table in the codes of a tree's schema, and values that the schema does not know."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from attrs import evolve

from ftree._lib.arrays import Array
from ftree._lib.fields import require_one_of
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.changes import require_common_class
from ftree.data.coding import check_times, encode, encode_all, measurements
from ftree.data.columns import read_labels
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.frames import NamedColumns, as_table
from ftree.data.kinds import with_times
from ftree.data.rows import cells_of, cells_where, columns_in_order, meant, table_of, unknown_among
from ftree.data.targets import classes_of, further_target
from ftree.data.times import time_family
from ftree.data.values import USUALLY_MISSING, in_order
from ftree.tree.schema import Feature, Schema, names_of

# The treatment of a value that the schema does not know: it has no answer, counts as missing, or is refused.
Unseen: TypeAlias = Literal["rule", "missing", "raise"]


def as_dataset(schema: Schema, rows: Any, *, unseen: Unseen = "rule") -> Dataset:
    """A dataset unchanged, or a table of named columns, one of them the target, as a dataset in the codes of the schema.

    Labels that the schema does not have become additional classes, and values of nominal and ordinal features additional ones.

    Raises a TypeError for any other argument, a KeyError for a column that the table does not have. Raises a ValueError for a
    dataset of another response, where no label is a class of the schema, and, where `unseen` is "raise", for a value that the
    schema does not know.

    >>> schema = Schema([Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes"))
    >>> as_dataset(schema, {"ride": ["no", "perhaps"], "sky": ["blue", "grey"]})
    Dataset of 2 rows: sky nominal(2) -> ride: no 1, yes 0, perhaps 1
    >>> as_dataset(schema, {"ride": ["no", "yes"], "sky": ["red", "grey"]}).schema.features[0].values
    ('grey', 'blue', 'red')
    """
    table = dataset_or_table(rows, "dataset")
    check_unseen(schema, table, unseen)
    if not isinstance(table, Dataset):
        return _coded(schema, table)
    if (kind := schema.response.kind) != (got := table.schema.response.kind):
        raise ValueError(f"dataset must be one of {kind}, as the tree is, got one of {got}.")
    require_common_class(schema.classes, table.schema.classes)
    return table


def _coded(schema: Schema, table: NamedColumns) -> Dataset:
    labels = table.column(schema.target)
    given = columns_in_order(schema, table)
    columns = encode_all(schema.features, given, USUALLY_MISSING)
    features = list(map(_with_more, schema.features, given, columns))
    if features != list(schema.features):
        schema = evolve(schema, features=features)
        columns = encode_all(schema.features, given, USUALLY_MISSING)
    check_times(schema.features, given, columns)
    if not schema.has_classes:
        response = schema.response
        further = [further_target(response, name, table.column(name), USUALLY_MISSING) for name in response.further_targets]
        return Dataset(schema, columns, measurements(schema.target, labels), further_targets=further)
    labels = read_labels(schema.target, labels)
    if any(map(time_family, schema.classes)):
        labels = with_times(labels, USUALLY_MISSING)
    present = classes_of(schema.target, labels, USUALLY_MISSING.but(schema.classes))
    require_common_class(schema.classes, present)
    known = set(schema.classes)
    whole = evolve(schema, classes=[*schema.classes, *(label for label in present if label not in known)])
    return Dataset(whole, columns, encode(Feature(whole.target, "nominal", whole.classes), labels, USUALLY_MISSING))


def _with_more(feature: Feature, given: Any, codes: Array) -> Feature:
    """The feature with the values, at cells without a code, that it does not know."""
    if feature.kind == "numeric" or not (codes < 0).any():
        return feature
    more = in_order(unknown_among(feature, cells_where(feature, given, codes < 0)))
    return evolve(feature, values=[*feature.values, *more]) if more else feature


def dataset_or_table(rows: Any, name: str) -> Any:
    """Convert the argument of that name: a dataset stays unchanged, a table of named columns is read.

    Raises a TypeError for anything else.
    """
    if isinstance(rows, Dataset):
        return rows
    is_records = isinstance(rows, Sequence) and rows and all(isinstance(row, Mapping) for row in rows)
    table = as_table(rows) if is_records else table_of(rows)
    if table is None:
        require_dataset(rows, name)  # raises
    return table


def unseen_values(schema: Schema, rows: Any) -> dict[str, tuple[Hashable, ...]]:
    """The values of rows that the schema does not know, by the names of the nominal and ordinal features that have some.

    Rows have any form that `predict` takes. Missing values, and columns that a table lacks, are not included.

    >>> from ftree import Feature
    >>> schema = Schema([Feature("sky", "nominal", ("sunny", "rainy"))], "play", ("no", "yes"))
    >>> unseen_values(schema, [["Sunny"], ["rainy"], [None]])
    {'sky': ('Sunny',)}
    """
    rows = rows if isinstance(rows, Dataset) else table_of(rows) or rows
    own = rows.schema if isinstance(rows, Dataset) else schema
    named = rows.names if isinstance(rows, NamedColumns) else names_of(own.features)
    coded = [n for n, feature in enumerate(schema.features) if feature.kind != "numeric" and feature.name in named]
    cells, _, _ = cells_of(schema, rows, coded)
    unseen = {schema.features[n].name: unknown_among(schema.features[n], cells[n]) for n in coded}
    return {name: in_order(values) for name, values in unseen.items() if values}


def check_unseen(schema: Schema, rows: Any, unseen: Unseen) -> None:
    """Call `require_known` if `unseen` is "raise"; do nothing if it is "rule" or "missing".

    Raises a ValueError for anything else.
    """
    require_one_of("unseen", unseen, ("rule", "missing", "raise"))
    if unseen == "raise":
        if hasattr(rows, "read_next_batch"):  # an Arrow stream can be read only once
            raise TypeError(f"rows must be in memory if unseen is 'raise', got {type_of(rows)}. Use rows.read_all().")
        require_known(schema, rows)


def require_known(schema: Schema, rows: Any) -> None:
    """Raise a ValueError for a value that the schema does not know; it names the most similar known value.

    >>> from ftree import Feature
    >>> require_known(Schema([Feature("sky", "nominal", ("sunny", "rainy"))], "play", ("no", "yes")), ["Sunny"])
    Traceback (most recent call last):
    ValueError: Values of 'sky' must be among 'sunny', 'rainy', got 'Sunny' (did you mean 'sunny'?).
    """
    for name, values in unseen_values(schema, rows).items():
        feature = next(feature for feature in schema.features if feature.name == name)
        known, got = joined(map(short_repr, feature.values)), f"{short_repr(values[0])}{meant(feature, values[0])}"
        message = f"Values of {short_repr(name)} must be among {known}, got {got}."
        raise ValueError(message)
