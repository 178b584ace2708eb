"""Policies, stopping rules, passes and their parts as JSON."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import FunctionType, MappingProxyType
from typing import Any

from attrs import has

from ftree._lib.fields import ConstructorRepr, is_iterable
from ftree._lib.messages import joined, nearest_name, short_repr
from ftree.saving.json_values import OWN, by_name, fields_of, members, of_plain, options_of, to_plain

# The packages whose public classes of constructors are parts, written as "stop.max_depth". A class in several of them has its
# name in the last one. Public impurities and scores, which are functions or values, are parts as they are: "criteria.gini".
_PACKAGES = ("policy", "criteria", "splitters", "linear", "missing", "prune", "stop")
# Parts whose classes have a repr of their own.
_OTHER_CLASSES = ("linear.Hyperplane", "prune.compose")
# Parts whose constructors take the items of their only field as separate arguments.
_OF_SEVERAL = ("stop.all_of", "stop.any_of", "prune.compose")


def is_part(value: Any) -> bool:
    """Whether a value is a part, whatever its fields: one of the library's, or one's own that has a name.

    >>> from ftree.stop import pure
    >>> is_part(pure()), is_part(pure), is_part(len)
    (True, False, False)
    """
    return _name_of(value) is not None


def part_to_plain(part: Any) -> Any:
    """A part in JSON form, with its inner parts. Raises a TypeError for a part without a name.

    >>> from ftree.stop import max_depth, pure
    >>> part_to_plain(max_depth(3) | pure())
    {'type': 'stop.any_of', 'rules': [{'type': 'stop.max_depth', 'limit': 3}, {'type': 'stop.pure'}]}
    """
    name = _name_of(part)
    if name is not None:
        options = [] if _name_of_value(part) else options_of(type(part))
        return {"type": name, **{each.name: part_to_plain(getattr(part, each.name)) for each in options}}
    if isinstance(part, tuple):
        return list(map(part_to_plain, part))
    if callable(part) or hasattr(part, "schema"):
        wanted = "one of the library's, a function of a module or an object of an attrs class"
        message = f"A part must be {wanted}, to be written, got {short_repr(part)}, which has no name that could be written."
        raise TypeError(message)
    return to_plain(part)


def part_of_plain(plain: Any, own: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """The part that such JSON represents; `own` are users' parts by name. Raises a ValueError for other names or fields.

    >>> part_of_plain({"type": "stop.max_depth", "limit": 3})
    max_depth(3)
    """

    def read(plain: Any) -> Any:
        if isinstance(plain, list):
            return tuple(map(read, plain))
        return _part_named(plain["type"], plain, own, read) if isinstance(plain, dict) and "type" in plain else of_plain(plain)

    return read(plain)


def _part_named(name: Any, plain: dict[str, Any], own: Mapping[str, Any], read: Callable[[Any], Any]) -> Any:
    family = (own.get(name) or _part(name)) if isinstance(name, str) else None
    if family is None:
        wanted = "a part of the library, such as 'stop.max_depth', or one of parts=(...)"
        near = nearest_name(name, (*own, *_names())) if isinstance(name, str) else None
        raise ValueError(f"type must be {wanted}, got {short_repr(name)}.{'' if near is None else f' Did you mean {near!r}?'}")
    if isinstance(family, type):
        return _made(name, family, plain, read)
    members(plain, name, ["type"])  # a function has a name only
    return family


def _made(name: str, family: Any, plain: dict[str, Any], read: Callable[[Any], Any]) -> Any:
    values = {each: read(value) for each, value in fields_of(plain, name, family, "type").items()}
    try:
        return family(*next(iter(values.values()))) if name in _OF_SEVERAL else family(**values)
    except TypeError as error:
        got = joined(f"{each} {short_repr(value)}" for each, value in values.items())
        raise ValueError(f"{name} must have fields that its constructor takes, got {got}: {str(error)[:200]}") from error


def _name_of(part: Any) -> str | None:
    """The name by which a part is written: its own, or that of its class. None for any other value."""
    return _public_name(_named(part)) or _name_of_value(part) or _own_name(part)


def _named(part: Any) -> Any:
    """The function itself, or the class of an object."""
    return part if type(part) is FunctionType else type(part)


def _own_name(part: Any) -> str | None:
    """The name of a user's function of a module, or of the attrs class of a user's object; None for anything else."""
    named = _named(part)
    is_named = named.__qualname__.isidentifier() if named is part else has(named)
    return OWN + named.__name__ if is_named and not named.__module__.startswith("ftree.") else None


def _name_of_value(part: Any) -> str | None:
    """The name of an impurity that is neither a function nor of a public class, "criteria.variance"; None for anything else."""
    name = f"criteria.{part!r}" if type(part).__module__.startswith("ftree.criteria.") else ""
    return name if type(_part(name)) is type(part) and _part(name) == part else None


def own_by_name(parts: Any) -> dict[str, Any]:
    """The caller's parts by their names.

    Raises a TypeError for anything but attrs classes and functions with a name, a ValueError for two of one name.
    """
    listed = tuple(parts) if is_iterable(parts) else (parts,)
    for each in listed:
        if not (isinstance(each, type) and has(each)) and _own_name(each) is None:
            message = f"parts must be a sequence of attrs classes and functions, such as (by_price,), got {short_repr(each)}."
            raise TypeError(message)
    return {OWN + name: each for name, each in by_name("parts", listed).items()}


@cache
def _part(name: str) -> Any:
    """The public part of this name: a class, an impurity or a score; None for any other name."""
    package, _, own = name.partition(".")
    if package not in _PACKAGES or own not in (home := import_module(f"ftree.{package}")).__all__:
        return None
    part = getattr(home, own)
    is_class = isinstance(part, type) and (issubclass(part, ConstructorRepr) or name in _OTHER_CLASSES)
    is_value = package == "criteria" and (type(part) is FunctionType or has(type(part)))
    return part if is_class or is_value else None


def _names() -> list[str]:
    """The names of all parts of the library."""
    names = (f"{package}.{each}" for package in _PACKAGES for each in import_module(f"ftree.{package}").__all__)
    return [name for name in names if _part(name) is not None]


@cache
def _public_name(family: Any) -> str | None:
    """The public name of a class or a function of the library; None for any other."""
    is_ours = str(family.__module__).startswith("ftree.")
    names = (f"{package}.{family.__name__}" for package in reversed(_PACKAGES) if is_ours)
    return next((name for name in names if _part(name) is family), None)
