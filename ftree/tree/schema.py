"""The schema of a table: its features, their values, and the classes.

Only a schema holds names. Splits hold feature numbers and value codes, which are positions in `Feature.values`.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from attrs import Attribute, field, frozen
from attrs.validators import optional
from toolz import groupby

from ftree._lib.fields import as_tuple, one_of, repeated
from ftree._lib.messages import joined, nearest_name, short_repr, type_of
from ftree._lib.objects import cached_by_identity
from ftree.tree.formats import TIME_KINDS, TimeKind
from ftree.tree.response import classes as of_labels
from ftree.tree.response_protocol import Response, ResponseOfSums

# Kinds of features.
Kind: TypeAlias = Literal["nominal", "ordinal", "numeric"]
# A label of a class: any hashable value.
Label: TypeAlias = Hashable


def _distinct(owner: Any, attribute: "Attribute[Any]", values: tuple[Hashable, ...]) -> None:
    fault = _fault_of(values)
    if fault is not None:
        what = f"The values of {short_repr(owner.name)}" if isinstance(owner, Feature) else f"The {attribute.name}"
        raise type(fault)(f"{what} must be {fault}")


def _fault_of(values: tuple[Hashable, ...]) -> Exception | None:
    """The error of values that cannot be told apart, without its subject; None if they can."""
    strange = next((value for value in values if not is_hashable(value)), None)
    if strange is not None:
        return TypeError(f"hashable (text, numbers, booleans), got {type_of(strange)}: {short_repr(strange)}.")
    unequal = next((value for value in values if value != value), None)  # noqa: PLR0124  # NaN, NaT and such
    if unequal is not None:
        return ValueError(f"equal to themselves, got {short_repr(unequal)}. Leave it out: it is a missing value.")
    if set(map(type, values)) == {str} and all(one != other for one, other in pairwise(sorted(map(str, values)))):
        return None  # of texts that are many, a dictionary takes much memory
    for twice in repeated(values):
        remedy = "Values that are equal in Python, such as True and 1, count as one value."
        return ValueError(f"distinct, got {short_repr(twice)} twice. {remedy}")
    return None


def _distinct_names(_: Any, __: Any, features: "tuple[Feature, ...]") -> None:
    for feature in features:
        if not isinstance(feature, Feature):
            raise TypeError(f'features must be Feature objects, such as Feature("age", "numeric"), got {short_repr(feature)}.')
    for name, times in repeated(names_of(features)).items():
        raise ValueError(f"features must have distinct names, got {short_repr(name)} {times} times.")


def _a_response(_: Any, __: Any, response: Any) -> None:
    if isinstance(response, type) or not hasattr(response, "options"):
        raise TypeError(f"response must be None for classes, or a response such as numbers(), got {short_repr(response)}.")


def _not_a_feature(schema: "Schema", _: Any, target: str) -> None:
    if target in names_of(schema.features):
        remedy = "Leave the feature out, or rename the target."
        raise ValueError(f"target must not be the name of a feature, got {short_repr(target)}. {remedy}")


def as_name(name: object) -> str:
    """A converter: a name as text.

    Raises a TypeError for a class, and for a list, a dict or another value that is not hashable.

    >>> as_name("age"), as_name(2020)
    ('age', '2020')
    """
    if is_hashable(name) and not isinstance(name, type):
        with suppress(RecursionError):
            return str(name)
    raise TypeError(f"A name must be a text, or a value that has one, such as a number, got {short_repr(name)}.")


def as_names(names: Any, wanted: str = "Names must be one or more", *, least: int = 1) -> tuple[str, ...]:
    """A converter: the names of columns, or one name, in a tuple.

    Raises a ValueError, which says what is `wanted`, for fewer names than the `least`, or one that is given twice.

    >>> as_names("kg"), as_names(["kg", 2020])
    (('kg',), ('kg', '2020'))
    """
    found: tuple[str, ...] = tuple(map(as_name, as_tuple((names,) if isinstance(names, str) else names)))
    if len(found) < least or len(set(found)) < len(found):
        raise ValueError(f"{wanted}, each of them once, got {short_repr(found)}.")
    return found


@frozen
class Feature:
    """A column: its name, its kind, and the values of a nominal or ordinal one, in order.

    None among the values of a nominal feature makes "missing" a value of its own. `time` says what the numbers of a
    numeric feature stand for if they are times: "date", "datetime", "datetime in UTC", "time of day" or "duration".

    >>> Feature("windy", "nominal", values=(False, True))
    Feature(name='windy', kind='nominal', values=(False, True))
    """

    name: str = field(converter=as_name)
    kind: Kind = field(validator=one_of("nominal", "ordinal", "numeric"))
    values: tuple[Hashable, ...] = field(default=(), converter=as_tuple, validator=_distinct)
    time: TimeKind | None = field(default=None, kw_only=True, validator=optional(one_of(*TIME_KINDS)))

    def __attrs_post_init__(self) -> None:
        """Refuse values of a numeric feature, since nothing would use them, and times of a feature that is not numeric."""
        if self.kind != "numeric" and self.time is not None:
            got = f"{self.time!r} for {short_repr(self.name)}"
            raise ValueError(f"time must be None for a feature that is {self.kind}, got {got}.")
        if self.kind == "numeric" and self.values:
            raise ValueError(f"values must be empty for a numeric feature, got {len(self.values)} for {short_repr(self.name)}.")

    def __repr__(self) -> str:
        """The call that makes it."""
        time = "" if self.time is None else f", time={self.time!r}"
        return f"Feature(name={self.name!r}, kind={self.kind!r}, values={self.values!r}{time})"


@frozen
class Schema:
    """The features of a table, the name of its target, and the classes in the order that breaks ties.

    A target of another kind has no classes, and a `response`, such as `ftree.tree.numbers()`. That of classes is made of them.

    Raises a TypeError for features of another type, a ValueError for equal names or classes, for classes with a response,
    and for a response whose answers depend on a feature that is not there.

    >>> schema = Schema((Feature("age", "numeric"),), target="play", classes=("no", "yes"))
    >>> position(schema, "age")
    0
    """

    features: tuple[Feature, ...] = field(converter=as_tuple, validator=_distinct_names)
    target: str = field(converter=as_name, validator=_not_a_feature)
    classes: tuple[Label, ...] = field(converter=as_tuple, validator=_distinct)
    _response: Response | None = field(default=None, kw_only=True, alias="response", validator=optional(_a_response))

    def __attrs_post_init__(self) -> None:
        """Refuse classes of a target that has none."""
        if self._response is not None and self.classes:
            raise ValueError(f"classes must be () for a target of {self._response.kind}, got {short_repr(self.classes)}.")
        for name in self.response.row_features:
            if name not in (known := names_of(self.features)):
                wanted = f"features must include {short_repr(name)}, on which answers depend"
                raise ValueError(f"{wanted}, got {joined(map(repr, known)) if known else 'none'}.")

    @property
    def has_classes(self) -> bool:
        """Whether the target has classes."""
        return self._response is None

    @property
    def response(self) -> Response:
        """What a tree of this schema answers."""
        return of_labels(self.classes) if self._response is None else self._response

    def __repr__(self) -> str:
        """The call that makes it."""
        response = "" if self._response is None else f", response={self._response!r}"
        return f"Schema(features={self.features!r}, target={self.target!r}, classes={self.classes!r}{response})"


def response_of_sums(schema: Schema) -> ResponseOfSums:
    """The response of a schema without classes.

    >>> from ftree.tree.response import numbers
    >>> response_of_sums(Schema((), "mpg", (), response=numbers(18.0, 0.5)))
    numbers(centre=18.0, unit=0.5, part=1.0)
    """
    return schema.response  # type: ignore[return-value]  # the caller has made sure that it has no classes


def require_classes(schema: Schema, name: str, what: str = "a tree", remedy: str = "", *, or_numbers: bool = False) -> None:
    """Raise a ValueError where a function of that name is given something whose target has no classes, such as a regression tree.

    >>> from ftree.tree.response import numbers
    >>> require_classes(Schema((), "y", (), response=numbers()), "dnf")
    Traceback (most recent call last):
    ValueError: dnf must be given a classification tree, got a regression tree. Give response='classes', or divide 'y' by binned.
    """
    if not (schema.has_classes or (or_numbers and schema.response.kind == "numbers")):
        kind, wanted = schema.response.kind, f"a classification{' or regression' * or_numbers} {what.removeprefix('a ')}"
        divide = f"Give response='classes', or divide {short_repr(schema.target)} by binned."
        remedy = remedy or (divide if kind == "numbers" else f"predict and scores answer for {kind}.")
        raise ValueError(f"{name} must be given {wanted}, got {by_task(kind, what)}. {remedy}")


def by_task(kind: str, what: str = "a tree") -> str:
    """What a tree or a dataset is called by the kind of its response.

    >>> by_task("numbers"), by_task("events", "a dataset")
    ('a regression tree', 'a dataset of events')
    """
    task = {"classes": "classification", "numbers": "regression"}.get(kind)
    return f"{what} of {kind}" if task is None else f"a {task} {what.removeprefix('a ')}"


@cached_by_identity
def codes_of_values(feature: Feature) -> dict[Hashable, int]:
    """The code of each value of a feature, computed once for each feature, since searching many values takes long.

    >>> codes_of_values(Feature("windy", "nominal", (False, True)))
    {False: 0, True: 1}
    """
    return {value: code for code, value in enumerate(feature.values)}


@cached_by_identity
def codes_of_texts(feature: Feature) -> dict[str, list[int]]:
    """The codes of the values that print as a text, by the text.

    >>> codes_of_texts(Feature("windy", "nominal", (False, True)))
    {'False': [0], 'True': [1]}
    """
    alike: dict[str, list[int]] = groupby(lambda code: printed(feature.values[code]), range(len(feature.values)))
    return alike


def printed(value: Any) -> str:
    """A value as it prints; an empty text for a collection, which may be nested too deep.

    >>> printed(True), printed(("a", "b"))
    ('True', '')
    """
    return "" if isinstance(value, Collection) and not isinstance(value, str) else str(value)


def names_of(features: Iterable[Feature]) -> tuple[str, ...]:
    """Names of the features, in order.

    >>> names_of([Feature("age", "numeric"), Feature("size", "ordinal", ("S", "L"))])
    ('age', 'size')
    """
    return tuple(feature.name for feature in features)


def position(schema: Schema, name: str) -> int:
    """Number of the feature with this name.

    Raises a KeyError that lists the most similar names.
    """
    known = names_of(schema.features)
    if not isinstance(name, str) or name not in known:
        raise KeyError(unknown_name(name, known))
    return known.index(name)


def unknown_name(name: object, known: Sequence[str]) -> str:
    """The error message for a column name that does not exist.

    >>> unknown_name("windyy", ["outlook", "windy"])
    "The column must be one of 'outlook', 'windy', got 'windyy'. Did you mean 'windy'?"
    """
    texts = [each for each in known if isinstance(each, str)]
    near = nearest_name(name if isinstance(name, str) else short_repr(name), texts)
    wanted = f"one of {joined(map(repr, known))}" if known else "omitted, since there are no columns"
    meant = "" if near is None else f" Did you mean {near!r}?"
    return f"The column must be {wanted}, got {short_repr(name)}.{meant}"


def is_hashable(value: object) -> bool:
    """Whether a value is hashable; a tuple is hashable if all its items are.

    >>> is_hashable((1, 2)), is_hashable((1, [2]))
    (True, False)
    """
    try:
        hash(value)
    except TypeError:
        return False
    return True
