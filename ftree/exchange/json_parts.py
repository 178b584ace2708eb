"""Policies, stopping rules, passes and their parts as JSON: the public name of each, and its fields.

The names are a closed list of public parts. A name in a text is looked up there, and nothing is imported by its name.
"""

from functools import cache
from importlib import import_module
from typing import Any

from attrs import fields, has

from ftree._lib.fields import ConstructorRepr
from ftree._lib.messages import joined, short_repr
from ftree.exchange.json_checks import members
from ftree.exchange.json_values import of_plain, to_plain

# A class or a function in several rooms has its name in the last of them.
_ROOMS = ("policy", "criteria", "splitters", "missing", "prune", "stop")
# Parts whose constructors take the items of their only field as separate arguments.
_OF_SEVERAL = ("stop.all_of", "stop.any_of", "prune.compose")


def is_part(value: Any) -> bool:
    """Whether a value is one of the library's parts, whatever its fields.

    >>> from ftree.stop import pure
    >>> is_part(pure()), is_part(pure), is_part(len)
    (True, False, False)
    """
    return _name_of(value) is not None


def part_to_plain(part: Any) -> Any:
    """A part in JSON form, with its inner parts. Raises a TypeError for a part that is not the library's.

    >>> from ftree.stop import max_depth, pure
    >>> part_to_plain(max_depth(3) | pure())
    {'type': 'stop.any_of', 'rules': [{'type': 'stop.max_depth', 'limit': 3}, {'type': 'stop.pure'}]}
    """
    name = _name_of(part)
    if name is not None:
        own = fields(type(part)) if has(type(part)) else ()
        return {"type": name, **{each.name: part_to_plain(getattr(part, each.name)) for each in own}}
    if isinstance(part, tuple):
        return list(map(part_to_plain, part))
    if callable(part) or hasattr(part, "schema"):
        own = "a function or an object of your own, or a dataset, has no name that could be written"
        message = f"A part must be one of the library's, to be written, got {short_repr(part)}: {own}."
        raise TypeError(message)
    return to_plain(part)


def part_of_plain(plain: Any) -> Any:
    """The part that such JSON represents. Raises a ValueError for a name or fields that no part has.

    >>> part_of_plain({"type": "stop.max_depth", "limit": 3})
    max_depth(3)
    """
    if isinstance(plain, list):
        return tuple(map(part_of_plain, plain))
    if not (isinstance(plain, dict) and "type" in plain):
        return of_plain(plain)
    name = plain["type"]
    family = _parts().get(name) if isinstance(name, str) else None
    if family is None:
        message = f"type must be a part of the library, such as 'stop.max_depth', got {short_repr(name)}."
        raise ValueError(message)
    return _made(name, family, plain) if isinstance(family, type) else _alone(name, family, plain)


def _alone(name: str, function: Any, plain: dict[str, Any]) -> Any:
    members(plain, name, ["type"])
    return function


def _made(name: str, family: Any, plain: dict[str, Any]) -> Any:
    names = [each.name for each in fields(family)]
    values = [part_of_plain(each) for each in members(plain, name, ["type", *names])[1:]]
    try:
        return family(*values[0]) if name in _OF_SEVERAL else family(**dict(zip(names, values, strict=True)))
    except TypeError as error:
        got = joined(f"{each} {short_repr(value)}" for each, value in zip(names, values, strict=True))
        message = f"{name} must have fields that its constructor takes, got {got}: {str(error)[:200]}"
        raise ValueError(message) from error


def _name_of(part: Any) -> str | None:
    """The name of a function, or of the class of an object."""
    return _names().get(part if type(part) is _FUNCTION else type(part))


_FUNCTION = type(is_part)


@cache
def _parts() -> dict[str, Any]:
    """The public parts of the rooms: attrs classes that are called or print like their constructor, and measures."""
    rooms = {room: import_module(f"ftree.{room}") for room in _ROOMS}
    public = {f"{room}.{name}": getattr(module, name) for room, module in rooms.items() for name in module.__all__}
    return {name: part for name, part in public.items() if _is_class_of_parts(part) or _is_measure(name, part)}


def _is_class_of_parts(part: Any) -> bool:
    if not isinstance(part, type) or not has(part):
        return False
    return issubclass(part, ConstructorRepr) or any("__call__" in vars(base) for base in part.__mro__)


def _is_measure(name: str, part: Any) -> bool:
    return name.startswith("criteria.") and type(part) is _FUNCTION


@cache
def _names() -> dict[Any, str]:
    return {part: name for name, part in _parts().items()}
