"""Values of rows that a schema does not know: by default, a prediction treats them as missing, even if misspelt."""

from collections.abc import Hashable
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.kinds import distinct
from ftree.data.missing_values import ALWAYS_MISSING
from ftree.data.rows import cells_of
from ftree.data.values import in_order
from ftree.tree.schema import Schema

# The treatment of a value that the schema does not know: it counts as missing, or is refused.
Unseen: TypeAlias = Literal["missing", "raise"]


def unseen_values(schema: Schema, rows: Any) -> dict[str, tuple[Hashable, ...]]:
    """The values of rows that the schema does not know, by the names of the nominal and ordinal features that have some.

    Rows have any form that `predict` takes. Missing values are not included.

    >>> from ftree import Feature
    >>> schema = Schema([Feature("sky", "nominal", ("sunny", "rainy"))], "play", ("no", "yes"))
    >>> unseen_values(schema, [["Sunny"], ["rainy"], [None]])
    {'sky': ('Sunny',)}
    """
    columns, _, _ = cells_of(schema, rows)
    pairs = [(feature, column) for feature, column in zip(schema.features, columns, strict=True) if feature.kind != "numeric"]
    unseen = {feature.name: distinct(feature.name, column, ALWAYS_MISSING) - set(feature.values) for feature, column in pairs}
    return {name: in_order(values) for name, values in unseen.items() if values}


def check_unseen(schema: Schema, rows: Any, unseen: Unseen) -> None:
    """Call `require_known` if `unseen` is "raise"; do nothing if it is "missing".

    Raises a ValueError for anything else.
    """
    if unseen not in ("missing", "raise"):
        message = f"unseen must be one of 'missing', 'raise', got {short_repr(unseen)}."
        raise ValueError(message)
    if unseen == "raise":
        if hasattr(rows, "read_next_batch"):  # an Arrow stream can be read only once
            message = f"rows must be in memory if unseen is 'raise', got {type_of(rows)}. Use rows.read_all()."
            raise TypeError(message)
        require_known(schema, rows)


def require_known(schema: Schema, rows: Any) -> None:
    """Raise a ValueError for a value that the schema does not know; it names the most similar known value.

    >>> from ftree import Feature
    >>> require_known(Schema([Feature("sky", "nominal", ("sunny", "rainy"))], "play", ("no", "yes")), ["Sunny"])
    Traceback (most recent call last):
    ValueError: Values of 'sky' must be among 'sunny', 'rainy', got 'Sunny'. Did you mean 'sunny'?
    """
    for name, values in unseen_values(schema, rows).items():
        known = next(feature.values for feature in schema.features if feature.name == name)
        folded = {str(value).strip().casefold(): value for value in known}
        near = get_close_matches(str(values[0]).strip().casefold(), folded, n=1)
        meant = f" Did you mean {short_repr(folded[near[0]])}?" if near else ""
        message = f"Values of {name!r} must be among {joined(map(short_repr, known))}, got {short_repr(values[0])}.{meant}"
        raise ValueError(message)
