"""Keys of nested dictionaries that split types share: values and their codes, thresholds as text."""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from typing import Any

from ftree._lib.messages import joined, short_repr
from ftree.tree.schema import Feature, Schema, codes_of_values, position


def feature_named(schema: Schema, name: Any) -> tuple[int, Feature]:
    """The number of the feature with a name, and the feature. Raises a KeyError for a name that the schema lacks."""
    number = position(schema, name)
    return number, schema.features[number]


def values_of(schema: Schema, number: int, codes: Sequence[int]) -> tuple[Hashable, ...]:
    """The values that codes of a feature stand for.

    >>> values_of(Schema([Feature("sky", "nominal", ("grey", "blue"))], "ride", (0, 1)), 0, (1,))
    ('blue',)
    """
    values = schema.features[number].values
    return tuple([values[code] for code in codes])


def code_of(feature: Feature, value: Hashable) -> int:
    """The code of a value. Raises a ValueError for a value that the feature does not have.

    >>> code_of(Feature("sky", "nominal", ("grey", "blue")), "blue")
    1
    """
    code = codes_of_values(feature).get(value)
    if code is None:
        wanted = joined(map(short_repr, feature.values))
        message = f"A value of {feature.name!r} must be one of {wanted}, got {short_repr(value)}."
        raise ValueError(message)
    return code


def threshold_keys(at: float) -> tuple[str, str]:
    """The keys of the two sides of a threshold.

    >>> threshold_keys(0.5)
    ('<= 0.5', '> 0.5')
    """
    return f"<= {at!r}", f"> {at!r}"


def number_of(text: str) -> float:
    """The number in a key, in plain ASCII digits.

    Raises a ValueError for any other text: blanks, underscores between digits and other digits are refused as well.

    >>> number_of("0.5")
    0.5
    """
    if "_" in text or not text.isascii() or text != text.strip():
        raise ValueError(text)
    return float(text)


def threshold_of(keys: tuple[Any, ...]) -> float | None:
    """The threshold that two keys name; None for other keys.

    >>> threshold_of(("<= 0.5", "> 0.5")), threshold_of(("grey", "blue"))
    (0.5, None)
    """
    match keys:
        case (str(low), str(high)) if low.startswith("<= ") and high == f"> {low[3:]}":
            with suppress(ValueError):
                return number_of(low[3:])
    return None
