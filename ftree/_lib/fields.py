"""Arguments: converters; checks, and validators of attrs fields; the repr of a class, which reads like its constructor call."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from math import fsum, inf, isfinite
from numbers import Integral, Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

import attrs
import numpy as np
from toolz import frequencies

from ftree._lib.messages import joined, nearest_name, short_repr

_T = TypeVar("_T")


# Converters


def as_tuple(values: Iterable[Any]) -> tuple[Any, ...]:
    """A converter: any iterable becomes a tuple.

    >>> as_tuple([1, 2])
    (1, 2)
    >>> as_tuple(1)
    Traceback (most recent call last):
    TypeError: A field of several values must be a sequence, got 1. Write a single value as (1,).
    """
    if not is_iterable(values):
        remedy = "" if values is None or isinstance(values, type) else f" Write a single value as ({short_repr(values)},)."
        raise TypeError(f"A field of several values must be a sequence, got {short_repr(values)}.{remedy}")
    return tuple(values)


def as_plain(value: Any) -> Any:
    """A converter: a number of NumPy becomes Python's, whose arithmetic does not overflow; other values are unchanged.

    >>> as_plain(np.uint8(200)), as_plain("a")
    (200, 'a')
    """
    return value.item() if isinstance(value, np.number) and not isinstance(value, np.timedelta64) else value


def as_float(value: Any) -> Any:
    """A converter: a finite number becomes a float; the validator refuses any other value.

    >>> as_float(np.int8(3)), as_float("a")
    (3.0, 'a')
    """
    return float(value) if is_finite(value) else value


def is_iterable(value: Any) -> bool:
    """Whether a value has items; an array without dimensions has none, though it is an Iterable.

    >>> is_iterable([1]), is_iterable(1), is_iterable(np.array(1))
    (True, False, False)
    """
    return isinstance(value, Iterable) and getattr(value, "shape", None) != ()


# Checks of arguments by name


def require_one_of(name: str, value: Any, options: Collection[str]) -> None:
    """Raise a ValueError for an argument that is not one of the options.

    >>> require_one_of("part", "both", ("test", "train"))
    Traceback (most recent call last):
    ValueError: part must be one of 'test', 'train', got 'both'.
    """
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {short_repr(value)}.")


def require_function(name: str, value: Any, *, or_class: bool = False) -> None:
    """Raise a TypeError for an argument that is not a function; a class is refused unless `or_class`: it lacks its parentheses.

    >>> require_function("step", 3)
    Traceback (most recent call last):
    TypeError: step must be a function, got 3.
    """
    if isinstance(value, type) and not or_class:
        written = value.__name__
        raise TypeError(f"{name} must be a function, got the class {written}. Write {written}(...), with parentheses.")
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {short_repr(value)}.")


def is_distribution(shares: Sequence[float]) -> bool:
    """Whether numbers are at least 0 and sum to 1, within a rounding error of 1e-9.

    >>> is_distribution((0.1, 0.9)), is_distribution((1.5, -0.5)), is_distribution((float("nan"), 1)), is_distribution(())
    (True, False, False, False)
    """
    return all(is_finite(share) and share >= 0 for share in shares) and abs(fsum(shares) - 1) < 1e-9  # noqa: PLR2004  # rounding


def is_finite(value: Any) -> bool:
    """Whether a value is a number, and within the floats; True and False are none.

    >>> is_finite(3), is_finite(float("nan")), is_finite(10**400), is_finite("3"), is_finite(True)
    (True, False, False, False, False)
    """
    try:
        return isinstance(value, Real) and not isinstance(value, bool | np.timedelta64) and isfinite(value)
    except OverflowError:  # a whole number beyond the floats
        return False


def is_whole_number(value: Any, least: float, most: float = inf) -> bool:
    """Whether a value is a whole number within bounds. Truth values and durations, which count as such in NumPy, are none.

    >>> [is_whole_number(value, 0, 3) for value in (np.uint8(3), True, np.timedelta64(3, "s"), 4)]
    [True, False, False, False]
    """
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64) and least <= int(value) <= most


def require_whole_number(name: str, value: Any, least: int, *, most: float = inf, of: str = "") -> None:
    """Raise a ValueError for an argument that is not a whole number within bounds; `of` says what it counts.

    >>> require_whole_number("seed", 0.5, 0)
    Traceback (most recent call last):
    ValueError: seed must be a whole number from 0, got 0.5.
    """
    if not is_whole_number(value, least, most):
        what = f"a whole number of {of}" if of else "a whole number"
        bounds = f"from {least}" if most == inf else f"from {least} to {most}"
        raise ValueError(f"{name} must be {what} {bounds}, got {short_repr(value)}.")


def require_path(value: Any, name: str = "path") -> Path:
    """A path given as a str or a Path. Raises a TypeError for any other type, a ValueError for an empty text or one with NUL.

    >>> require_path(3)
    Traceback (most recent call last):
    TypeError: path must be a str or a Path, got 3.
    >>> require_path("")
    Traceback (most recent call last):
    ValueError: path must be a non-empty text without NUL, got ''.
    """
    if not isinstance(value, (str, PathLike)):
        raise TypeError(f"{name} must be a str or a Path, got {short_repr(value)}.")
    if not fspath(value) or "\0" in fspath(value):
        raise ValueError(f"{name} must be a non-empty text without NUL, got {short_repr(fspath(value))}.")
    return Path(value)


def requirement(wanted: str, fits: Callable[[Any], Any], *, error: type[Exception] = ValueError, remedy: str = "") -> Any:
    """A check by name that `fits` holds for a value; `wanted` says so in words.

    >>> requirement("above 0", lambda value: value > 0)("slack", -1)
    Traceback (most recent call last):
    ValueError: slack must be above 0, got -1.
    """

    def require(name: str, value: Any) -> None:
        if not fits(value):
            raise error(f"{name} must be {wanted}, got {short_repr(value)}.{remedy}")

    return require


require_boolean = requirement("True or False", lambda value: isinstance(value, bool), error=TypeError)
require_probability = requirement("a probability between 0 and 1", lambda value: is_finite(value) and 0 <= value <= 1)
# A number of workers, whose meaning `n_workers` has.
require_n_jobs = partial(
    requirement(
        "a whole number from 1, or -1 for all processors",
        lambda n_jobs: n_jobs is None or (is_whole_number(n_jobs, -inf) and n_jobs),
        remedy=" None is as -1, and -2 leaves one free.",
    ),
    "n_jobs",
)
# How often something is done: more than this is a mistake, which would otherwise show only after hours, or as an overflow.
_MOST_OFTEN = 10**9
require_count = partial(require_whole_number, most=_MOST_OFTEN)


# Validators of fields, each of which refuses what a check does


def validator(require: Callable[..., object], *options: Any, **bounds: Any) -> Any:
    """A validator of fields that refuses what `require(name, value, ...)` does; of type Any, so that a field keeps its own type.

    >>> validator(require_whole_number, 1, of="features")(None, attrs.fields(attrs.make_class("splitter", ["n"])).n, 0)
    Traceback (most recent call last):
    ValueError: n must be a whole number of features from 1, got 0.
    """
    return lambda _, attribute, value: require(attribute.name, value, *options, **bounds)


a_function, true_or_false, a_probability = map(validator, (require_function, require_boolean, require_probability))
a_whole_number, a_count = partial(validator, require_whole_number), partial(validator, require_count)


def one_of(*options: str) -> Any:
    """A validator: the value must be one of the options."""
    return validator(require_one_of, options)


def must_be(wanted: str, fits: Callable[[Any], Any], *, error: type[Exception] = ValueError, remedy: str = "") -> Any:
    """A validator: `fits` must hold for the value, and `wanted` says so in words, as in `requirement`."""
    return validator(requirement(wanted, fits, error=error, remedy=remedy))


a_finite_number = must_be("a finite number of at least 0", lambda value: is_finite(value) and value >= 0)


def repeated(values: Iterable[Any]) -> dict[Any, int]:
    """The values that occur several times, and how often.

    >>> repeated("abcab")
    {'a': 2, 'b': 2}
    """
    times: dict[Any, int] = frequencies(values)
    return {value: n for value, n in times.items() if n > 1}


# Classes: the arguments that they know, and their repr


def known_arguments(cls: type[_T]) -> type[_T]:
    """Decorate a class, so that an argument that it does not have is refused with the most similar name; `evolve` calls it too.

    >>> @known_arguments
    ... @attrs.frozen
    ... class limit:
    ...     depth: int
    >>> attrs.evolve(limit(3), dept=4)
    Traceback (most recent call last):
    TypeError: Arguments of limit must be among depth, got dept. Did you mean depth?
    >>> limit(3, 4)
    Traceback (most recent call last):
    TypeError: Arguments of limit after the first 1 must be given by name, got 2 without a name. They are: depth.
    """
    original: Any = cls.__init__
    parameters = [each for name, each in signature(original).parameters.items() if name != "self"]
    known, kinds = [each.name for each in parameters], [each.kind for each in parameters]
    most = inf if Parameter.VAR_POSITIONAL in kinds else kinds.count(Parameter.POSITIONAL_OR_KEYWORD)

    @wraps(original)
    def checked(self: _T, *given: Any, **named: Any) -> None:
        for name in named.keys() - known:
            near, wanted = nearest_name(name, known), f"among {joined(known)}" if known else "none"
            meant = "" if near is None else f" Did you mean {near}?"
            raise TypeError(f"Arguments of {cls.__name__} must be {wanted}, got {name}.{meant}")
        if len(given) > most:
            after, names = f" after the first {most}" if most else "", f" They are: {joined(known)}." if known else ""
            apply = f" To apply it to something, write {cls.__name__}(...)(something)." if "__call__" in dir(cls) else ""
            wanted = f"Arguments of {cls.__name__}{after} must be given by name, got {len(given)} without a name"
            raise TypeError(f"{wanted}.{names}{apply}")
        original(self, *given, **named)

    setattr(cls, "__init__", checked)  # noqa: B010  # type checkers allow no assignment
    return cls


class OwnRepr:
    """A base of attrs classes whose repr is that of their base: attrs writes none where a class has one itself."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Let the class have itself what it inherits."""
        setattr(cls, "__repr__", cls.__repr__)  # noqa: B010  # type checkers allow no assignment


class ConstructorRepr(OwnRepr):
    """A base of attrs classes: the repr is `name(positional, keyword=value)`, and arguments are known ones.

    A field with the metadata `QUIET` is left out while it has its default.

    >>> @attrs.frozen
    ... class at_most(ConstructorRepr):
    ...     limit: int
    ...     strict: bool = attrs.field(default=False, kw_only=True)
    >>> at_most(3)
    at_most(3, strict=False)
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Let the constructor that attrs has written say which arguments it knows."""
        super().__init_subclass__()
        if "__init__" in vars(cls):
            known_arguments(cls)

    def __repr__(self) -> str:
        """The call that makes it."""
        fields: Any = attrs.fields(type(self))  # type: ignore[arg-type]  # every subclass is an attrs class
        pairs = [(field, getattr(self, field.name)) for field in fields if field.repr]
        shown = (
            (f"{field.name}={name_of(value)}" if field.kw_only else name_of(value))
            for field, value in pairs
            if not (field.metadata.get("quiet") and value == field.default)
        )
        return f"{type(self).__name__}({', '.join(shown)})"


def has_only(part: Any, *options: str) -> bool:
    """Whether all options of a part but these have their defaults, so that code that knows only these may serve it.

    >>> @attrs.frozen
    ... class limit:
    ...     depth: int = 3
    ...     strict: bool = False
    >>> has_only(limit(4), "depth"), has_only(limit(4, True), "depth")
    (True, False)
    """
    own: Any = attrs.fields(type(part))
    return all(each.name in options or not each.init or getattr(part, each.name) == each.default for each in own)


def show_defaults(cls: type) -> None:
    """Let `help` and editors show a class's arguments with their defaults as written in the source, and without types.

    >>> from inspect import signature
    >>> @attrs.frozen
    ... class sized:
    ...     by: object = len
    >>> show_defaults(sized)
    >>> signature(sized)
    <Signature (by=len)>
    """
    fields: Any = attrs.fields(cls)
    kinds = [Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD for field in fields]
    defaults = [Parameter.empty if field.default is attrs.NOTHING else _Written(field.default) for field in fields]
    shown = [Parameter(field.name, kind, default=value) for field, kind, value in zip(fields, kinds, defaults, strict=True)]
    type.__setattr__(cls, "__signature__", Signature(shown))


@attrs.frozen
class _Written:
    """A default that is shown as in the source."""

    value: Any

    def __repr__(self) -> str:
        """A function by its name."""
        return name_of(self.value)


# Metadata of a field that the repr omits while it has its default.
QUIET = {"quiet": True}


def name_of(value: Any) -> str:
    """The name of a function, the repr of anything else.

    >>> name_of(len), name_of(3)
    ('len', '3')
    """
    try:
        return str(getattr(value, "__name__", None) or repr(value))
    except RecursionError:  # a list inside thousands of lists
        return short_repr(value)
