"""What a table is about: its features, their values, and the classes to be told apart.

Names live here and nowhere else; splits hold feature numbers and value codes (positions in `Feature.values`).
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

from attrs import Attribute, field, frozen
from attrs.validators import in_

from ftree._fields import as_tuple

Kind: TypeAlias = Literal["nominal", "ordinal", "numeric"]
Label: TypeAlias = Hashable


def _distinct(_: Any, attribute: "Attribute[Any]", values: tuple[Hashable, ...]) -> None:
    twice = [value for value, times in Counter(values).items() if times > 1]
    if twice:
        message = f"{attribute.name} must be distinct; {twice[0]!r} came twice (values that are equal, as True and 1, are one)."
        raise ValueError(message)


def _distinct_names(_: Any, __: Any, features: "tuple[Feature, ...]") -> None:
    for name, times in Counter(names(features)).items():
        if times > 1:
            message = f"Feature names must be distinct; {name!r} came {times} times."
            raise ValueError(message)


@frozen
class Feature:
    """A column: its name, its kind, and for nominal and ordinal ones the values it can take, in order.

    A nominal feature that lists None among its values takes "missing" as a value of its own.

    >>> Feature("windy", "nominal", values=(False, True))
    Feature(name='windy', kind='nominal', values=(False, True))
    """

    name: str
    kind: Kind = field(validator=in_(("nominal", "ordinal", "numeric")))
    values: tuple[Hashable, ...] = field(default=(), converter=as_tuple, validator=_distinct)

    def __attrs_post_init__(self) -> None:
        """Refuse values on a numeric feature: they would never be looked at."""
        if self.kind == "numeric" and self.values:
            message = f"A numeric feature lists no values; {self.name!r} came with {len(self.values)}."
            raise ValueError(message)


@frozen
class Schema:
    """The features of a table, the name of its target, and the classes in the order that breaks ties.

    >>> schema = Schema((Feature("age", "numeric"),), target="play", classes=("no", "yes"))
    >>> position(schema, "age")
    0
    """

    features: tuple[Feature, ...] = field(converter=as_tuple, validator=_distinct_names)
    target: str
    classes: tuple[Label, ...] = field(converter=as_tuple, validator=_distinct)


def names(features: Iterable[Feature]) -> tuple[str, ...]:
    """Names of the features, in order.

    >>> names([Feature("age", "numeric"), Feature("size", "ordinal", ("S", "L"))])
    ('age', 'size')
    """
    return tuple(feature.name for feature in features)


def position(schema: Schema, name: str) -> int:
    """Number of the feature of that name.

    Raises a KeyError that lists the nearest names.
    """
    known = names(schema.features)
    if name not in known:
        raise KeyError(unknown_name(name, known))
    return known.index(name)


def unknown_name(name: object, known: Sequence[str]) -> str:
    """What to say when a column is asked for that is not there.

    >>> unknown_name("windyy", ["outlook", "windy"])
    "There is no column 'windyy'; did you mean 'windy'? The columns are 'outlook', 'windy'."
    """
    near = get_close_matches(str(name), known, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else "."
    shown = ", ".join(map(repr, known[:20])) + (", ..." if len(known) > 20 else "")  # noqa: PLR2004  # a screenful
    return f"There is no column {name!r}{meant} The columns are {shown or 'none'}."
