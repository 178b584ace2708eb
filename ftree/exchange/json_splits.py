"""The splits of a tree as JSON: for each type its nodes, and a column for each of its fields."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from attrs import fields, has

from ftree._lib.messages import short_repr
from ftree.exchange.json_checks import check_text, items, members, whole_numbers
from ftree.exchange.json_values import of_plain, to_plain
from ftree.tree.splits.optional import of_fields, to_fields
from ftree.tree.splits.protocol import Split

_SCALARS = {int, float, bool, type(None)}


def splits_to_plain(numbered: Iterable[tuple[int, Split]]) -> list[dict[str, Any]]:
    """Splits with the numbers of their nodes in JSON form, the types in the order of their first nodes.

    Raises a TypeError for a split of a type without fields to write.

    >>> from ftree import Threshold
    >>> splits_to_plain([(0, Threshold(1, 0.5)), (2, Threshold(0, 2.5))])
    [{'type': 'Threshold', 'nodes': [0, 2], 'fields': {'feature': [1, 0], 'at': [0.5, 2.5]}}]
    """
    by_type: dict[type, list[tuple[int, Split]]] = {}
    for number, split in numbered:
        by_type.setdefault(type(split), []).append((number, split))
    _check_names(by_type)
    return [_group_to_plain(family, *zip(*group, strict=True)) for family, group in by_type.items()]


def splits_of_plain(plain: Any, branches: Sequence[int], types: Sequence[type]) -> dict[int, Split]:
    """The split of each of the nodes `branches`, in their order. Raises a ValueError if a node has none, or two.

    >>> from ftree import Threshold
    >>> splits_of_plain([{"type": "Threshold", "nodes": [0], "fields": {"feature": [1], "at": [0.5]}}], [0], [Threshold])
    {0: Threshold(feature=1, at=0.5)}
    """
    groups = [members(each, "Splits of a type", ["type", "nodes", "fields"]) for each in items(plain, "splits")]
    most = max(branches, default=-1) + 1
    numbers = [whole_numbers(nodes, "The nodes of a type", most) for _, nodes, _ in groups]
    if sorted(chain(*numbers)) != list(branches):
        message = f"splits must be one for each node with children, got the nodes {short_repr(numbers)}."
        raise ValueError(message)
    found: dict[int, Split] = {}
    for name, nodes, columns in groups:
        found.update(zip(nodes, _group_of_plain(name, len(nodes), columns, types), strict=True))
    return {number: found[number] for number in branches}


def _check_names(families: Iterable[type]) -> None:
    names: dict[str, type] = {}
    for family in families:
        if names.setdefault(check_text(family.__name__), family) is not family:
            message = f"Split types must have distinct names, got two of the name {family.__name__}. Rename your type."
            raise TypeError(message)


def _group_to_plain(family: type, nodes: Sequence[int], splits: Sequence[Split]) -> dict[str, Any]:
    return {"type": family.__name__, "nodes": list(nodes), "fields": _columns(family, splits)}


def _columns(family: Any, splits: Sequence[Split]) -> dict[str, list[Any]]:
    if has(family) and not hasattr(family, "to_fields"):
        names = [each.name for each in fields(family) if each.init]
        columns = [[getattr(split, name) for split in splits] for name in names]
        if _are_scalars(columns):
            return {name: list(map(to_plain, column)) for name, column in zip(names, columns, strict=True)}
    rows = [to_fields(split) for split in splits]
    if any(row.keys() != rows[0].keys() for row in rows):
        message = f"to_fields() of {family.__name__} must have the same names for each split, got others for one of them."
        raise TypeError(message)
    return {check_text(name): [_field_to_plain(row[name]) for row in rows] for name in rows[0]}


def _field_to_plain(value: Any) -> Any:
    """A value of `to_fields`: a tuple is a list, and a dict with the key "type" a split inside."""
    if isinstance(value, (tuple, list)):
        return [_field_to_plain(each) for each in value]
    if isinstance(value, dict) and "type" in value:
        return {check_text(name): _field_to_plain(each) for name, each in value.items()}
    return to_plain(value)


def _field_of_plain(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(map(_field_of_plain, plain))
    if isinstance(plain, dict) and "type" in plain:
        return {name: _field_of_plain(each) for name, each in plain.items()}
    return of_plain(plain)


def _group_of_plain(name: Any, n: int, plain: Any, types: Sequence[type]) -> list[Split]:
    if not isinstance(plain, dict):
        message = f"fields must be an object of columns, got {short_repr(plain)}."
        raise ValueError(message)  # noqa: TRY004  # the error is in the text read, not in the argument's type
    columns = {key: items(column, f"The field {short_repr(key)}", n) for key, column in plain.items()}
    family = next((each for each in types if each.__name__ == name), None)
    if columns and family is not None and not hasattr(family, "from_fields") and _are_scalars(columns.values()):
        with suppress(TypeError):  # `of_fields` explains the error
            return [family(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    rows = zip(*[map(_field_of_plain, column) for column in columns.values()], strict=True) if columns else [()] * n
    return [of_fields(name, dict(zip(columns, row, strict=True)), types) for row in rows]


def _are_scalars(columns: Iterable[Iterable[Any]]) -> bool:
    """Whether cells are not texts, lists or objects, each of which would need another check."""
    return set(map(type, chain(*columns))) <= _SCALARS
