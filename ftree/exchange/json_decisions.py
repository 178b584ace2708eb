"""The decisions of passes as JSON: a column for each field of the decisions, and the nodes that replace branches."""

from collections.abc import Sequence
from typing import Any, get_args

from attrs import fields

from ftree._lib.messages import short_repr
from ftree.exchange.json_checks import items, members, whole_numbers
from ftree.exchange.json_nodes import nodes_of_plain, nodes_to_plain
from ftree.exchange.json_values import of_plain, to_plain
from ftree.prune.decisions import Decision, Done
from ftree.tree.nodes import Leaf

_FIELDS = [each.name for each in fields(Decision)]
_SCORES = ("as_leaf", "as_subtree", "threshold", "as_raised")
# The most children of a branch, since a list has no more items.
_MOST = 2**63


def decisions_to_plain(decisions: Sequence[Decision]) -> dict[str, list[Any]]:
    """Decisions as columns.

    >>> decisions_to_plain([Decision((0,), (2, 1), as_leaf=1.0)])["as_leaf"]
    [1.0]
    """
    return {name: [_cell_to_plain(name, getattr(each, name)) for each in decisions] for name in _FIELDS}


def decisions_of_plain(plain: Any, types: Sequence[type]) -> tuple[Decision, ...]:
    """The decisions of such columns. Raises a ValueError for anything else."""
    columns = members(plain, "decisions", _FIELDS)
    n = len(items(columns[0], _FIELDS[0]))
    rows = zip(*[items(column, name, n) for name, column in zip(_FIELDS, columns, strict=True)], strict=True)
    return tuple([_decision(dict(zip(_FIELDS, row, strict=True)), types) for row in rows])


def _cell_to_plain(name: str, value: Any) -> Any:
    if name in ("path", "counts"):
        return list(map(to_plain, value))
    return nodes_to_plain(value) if name == "becomes" and value is not None else to_plain(value)


def _decision(row: dict[str, Any], types: Sequence[type]) -> Decision:
    counts = Leaf(items(row["counts"], "The counts of a decision")).counts
    becomes = None if row["becomes"] is None else nodes_of_plain(row["becomes"], len(counts), types)
    scores = {name: _score(name, row[name]) for name in _SCORES}
    path, child = whole_numbers(row["path"], "path", _MOST), row["child"]
    if child is not None:
        whole_numbers([child], "child", _MOST)
    if row["done"] not in get_args(Done):
        message = f"done must be one of {', '.join(map(repr, get_args(Done)))}, got {short_repr(row['done'])}."
        raise ValueError(message)
    return Decision(tuple(path), counts, done=row["done"], child=child, becomes=becomes, **scores)


def _score(name: str, plain: Any) -> Any:
    value = of_plain(plain)
    if not (value is None or type(value) in (int, float)):
        message = f"{name} must be a number or null, got {short_repr(plain)}."
        raise ValueError(message)
    return value
