"""The decisions of a pruning pass as JSON: a column for each field."""

from collections.abc import Sequence
from typing import Any, get_args

from attrs import fields

from ftree._lib.fields import require_one_of
from ftree._lib.messages import short_repr
from ftree.prune.decisions import Decision, Done
from ftree.saving.json_trees import nodes_of_plain, nodes_to_plain
from ftree.saving.json_values import fields_of, items, of_plain, to_plain, whole_numbers
from ftree.tree.nodes import Leaf

_DEFAULTS = {each.name: each.default for each in fields(Decision)}
_FIELDS = list(_DEFAULTS)
_SCORES = ("as_leaf", "as_subtree", "threshold", "as_raised")


def decisions_to_plain(decisions: Sequence[Any]) -> dict[str, Any]:
    """Decisions as columns. Raises a TypeError for anything but decisions."""
    if not (isinstance(decisions, (tuple, list)) and all(isinstance(each, Decision) for each in decisions)):
        wanted = "a Tree, a policy, a pass or another part of the library, or a sequence of decisions"
        raise TypeError(f"value must be {wanted}, got {short_repr(decisions)}.")
    return {name: [_cell_to_plain(name, getattr(each, name)) for each in decisions] for name in _FIELDS}


def decisions_of_plain(plain: Any, types: Sequence[type]) -> tuple[Decision, ...]:
    """The decisions of such columns. Raises a ValueError for anything else."""
    columns = fields_of(plain, "decisions", Decision)
    n = len(items(columns["path"], "path"))
    rows = zip(*[items(column, name, n) for name, column in columns.items()], strict=True)
    return tuple([_decision(_DEFAULTS | dict(zip(columns, row, strict=True)), types) for row in rows])


def _cell_to_plain(name: str, value: Any) -> Any:
    if name in ("path", "counts"):
        return list(map(to_plain, value))
    return nodes_to_plain(value) if name == "becomes" and value is not None else to_plain(value)


def _decision(row: dict[str, Any], types: Sequence[type]) -> Decision:
    counts = Leaf(items(row["counts"], "The counts of a decision")).counts
    becomes = None if row["becomes"] is None else nodes_of_plain(row["becomes"], len(counts), types)
    scores = {name: _score(name, row[name]) for name in _SCORES}
    path, child = whole_numbers(row["path"], "path"), row["child"]
    if child is not None:
        whole_numbers([child], "child")
    require_one_of("done", row["done"], get_args(Done))
    return Decision(tuple(path), counts, done=row["done"], child=child, becomes=becomes, **scores)


def _score(name: str, plain: Any) -> Any:
    value = of_plain(plain)
    if not (value is None or type(value) in (int, float)):
        raise ValueError(f"{name} must be a number or null, got {short_repr(plain)}.")
    return value
