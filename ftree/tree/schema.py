"""What a table is about: its features, their values, and the classes to be told apart.

Names live here and nowhere else; splits hold feature numbers and value codes (positions in `Feature.values`).
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, Literal, TypeAlias

from attrs import Attribute, field, frozen

from ftree._lib.fields import as_tuple, one_of

Kind: TypeAlias = Literal["nominal", "ordinal", "numeric"]
Label: TypeAlias = Hashable

# How much of a value stands in a message.
_WIDTH = 60


def _distinct(owner: Any, attribute: "Attribute[Any]", values: tuple[Hashable, ...]) -> None:
    what = f"The values of {owner.name!r}" if isinstance(owner, Feature) else f"The {attribute.name}"
    strange = next((value for value in values if not is_hashable(value)), None)
    if strange is not None:
        came = f"a {type(strange).__name__} came: {shown(strange)}"
        message = f"{what} must be hashable (text, numbers, booleans); {came}."
        raise TypeError(message)
    twice = [value for value, times in Counter(values).items() if times > 1]
    if twice:
        message = f"{what} must be distinct; {shown(twice[0])} came twice (values that are equal, as True and 1, are one)."
        raise ValueError(message)


def _distinct_names(_: Any, __: Any, features: "tuple[Feature, ...]") -> None:
    for name, times in Counter(names(features)).items():
        if times > 1:
            message = f"Feature names must be distinct; {name!r} came {times} times."
            raise ValueError(message)


def _not_a_feature(schema: "Schema", _: Any, target: str) -> None:
    if target in names(schema.features):
        message = f"{target!r} is the target and a feature as well; leave it out of the features, or name the target otherwise."
        raise ValueError(message)


@frozen
class Feature:
    """A column: its name, its kind, and for nominal and ordinal ones the values it can take, in order.

    A nominal feature that lists None among its values takes "missing" as a value of its own.

    >>> Feature("windy", "nominal", values=(False, True))
    Feature(name='windy', kind='nominal', values=(False, True))
    """

    name: str = field(converter=str)
    kind: Kind = field(validator=one_of("nominal", "ordinal", "numeric"))
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
    target: str = field(converter=str, validator=_not_a_feature)
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
    folded = {candidate.strip().casefold(): candidate for candidate in known}
    near = get_close_matches(str(name).strip().casefold(), folded, n=1)
    meant = f"; did you mean {folded[near[0]]!r}?" if near else "."
    return f"There is no column {name!r}{meant} The columns are {several(map(repr, known)) or 'none'}."


def several(texts: Iterable[str], *, at_most: int = 20) -> str:
    """Texts in a row, the first ones when there are more than fill a screen.

    >>> several(["a", "b", "c"], at_most=2)
    'a, b, ...'
    """
    listed = list(islice(texts, at_most + 1))
    return ", ".join([*listed[:at_most], *(["..."] if len(listed) > at_most else [])])


def shown(value: object) -> str:
    """The repr of a value that fits in a message.

    >>> shown("yes"), len(shown("yes" * 1000))
    ("'yes'", 60)
    """
    text = repr(value)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def is_hashable(value: object) -> bool:
    """Whether a value can stand in a set; a tuple can when all it holds can.

    >>> is_hashable((1, 2)), is_hashable((1, [2]))
    (True, False)
    """
    try:
        hash(value)
    except TypeError:
        return False
    return True
