"""Splits as plain values by name, of which files and dictionaries are made, and the splits of such values."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from numbers import Real
from typing import Any

from attrs import fields, has

from ftree._lib.messages import short_repr
from ftree.tree import splits
from ftree.tree.splits.split import Split, is_split

# The names of the library's own types.
SPLIT_TYPES = ("WithSurrogates", "Oblique", "Threshold", "Intervals", "Subset", "Groups", "Multiway", "WithDefault", "IsMissing")


# Types that are plain values themselves; to ask for these first spares a look at abstract classes for each value.
_PLAIN_TYPES = frozenset({type(None), str, bool, int, float})


def to_fields(split: Any) -> dict[str, Any]:
    """A split as plain values by name: `split.to_fields()`, or the fields of an attrs class.

    Plain values are numbers, texts, None, and tuples of them; a split or a surrogate inside is a dict with its
    class's name as "type".
    Raises a TypeError for any other value.

    >>> from ftree.tree import Threshold
    >>> to_fields(Threshold(0, 2.5))
    {'feature': 0, 'at': 2.5}
    """
    own = getattr(split, "to_fields", None)
    if own is not None:
        return dict(own())
    family: Any = type(split)
    names = _names_of_fields(family)
    if names is None:
        raise TypeError(f"{short_repr(split)} must have a method to_fields() or an attrs class, so that it can become a dict.")
    return {name: _plain(split, getattr(split, name)) for name in names}


@cache
def _names_of_fields(family: Any) -> tuple[str, ...] | None:
    """The names of the fields that an attrs class takes; None for any other class."""
    return tuple([each.name for each in fields(family) if each.init]) if has(family) else None


def of_fields(name: Any, given: Mapping[str, Any], types: Sequence[type] = ()) -> Split:
    """The split of the type with this name, made of these fields: by `from_fields(fields)`, or the constructor.

    The type is one of `types`, or the library's. Raises a ValueError for a name of none, or for fields that the type refuses.

    >>> of_fields("Threshold", {"feature": 0, "at": 2.5})
    Threshold(feature=0, at=2.5)
    """
    return maker_of(name, types)(given)


def maker_of(name: Any, types: Sequence[type] = ()) -> Callable[[Any], Split]:
    """The function from fields to a split of the type with this name, for many splits. Raises as `of_fields` does.

    >>> [*map(maker_of("Threshold"), [{"feature": 0, "at": 2.5}, {"feature": 1, "at": 0.5}])]
    [Threshold(feature=0, at=2.5), Threshold(feature=1, at=0.5)]
    """
    return partial(_of_fields, type_named(name, types), name, types=types)


def type_named(name: Any, types: Sequence[type] = ()) -> type | None:
    """The type of splits with this name, of one's own or the library's; None if there is none.

    >>> type_named("Threshold").__name__, type_named("Compare")
    ('Threshold', None)
    """
    own = next((each for each in types if each.__name__ == name), None)
    return getattr(splits, str(name)) if own is None and name in SPLIT_TYPES else own


def _of_fields(family: Any, name: Any, given: Any, types: Sequence[type]) -> Split:
    if family is None:
        known = ", ".join([*(each.__name__ for each in types), *SPLIT_TYPES])
        own = name if isinstance(name, str) and name.isidentifier() else "MySplit"
        remedy = f"Pass your own types as splits=({own[:50]},)."
        raise ValueError(f"A split must be of one of the types {known}, got {short_repr(name)}. {remedy}")
    if not isinstance(given, Mapping):
        message = f"Fields of {name} must be a mapping of names to values, got {short_repr(given)}."
        raise ValueError(message)  # noqa: TRY004  # the error is in the text read, not in the argument's type
    values = {key: _read(value, types) for key, value in given.items()}
    try:
        split: Split = family.from_fields(values) if hasattr(family, "from_fields") else family(**values)
    except TypeError as error:
        got = f"{short_repr(dict(given))}: {str(error)[:200].rstrip('.')}"
        raise ValueError(f"Fields of {name} must be those of its to_fields(), got {got}.") from error
    return split


def _plain(split: Any, value: Any) -> Any:
    if type(value) in _PLAIN_TYPES or isinstance(value, (str, Real)):
        return value
    if isinstance(value, (tuple, list)):
        return tuple([_plain(split, each) for each in value])
    if is_split(value) or isinstance(value, splits.Surrogate):
        return {"type": type(value).__name__, **to_fields(value)}
    wanted, remedy = "numbers, texts or None", "Write a method to_fields()."
    raise TypeError(f"Fields of {short_repr(split)} must be {wanted}, got {short_repr(value)}. {remedy}")


def _read(value: Any, types: Sequence[type]) -> Any:
    if type(value) in _PLAIN_TYPES:
        return value
    if isinstance(value, Mapping):
        name, given = value.get("type"), {key: each for key, each in value.items() if key != "type"}
        return _of_fields(splits.Surrogate if name == "Surrogate" else type_named(name, types), name, given, types)
    return tuple([_read(each, types) for each in value]) if isinstance(value, (tuple, list)) else value
