"""A tree as JSON: its schema, and its nodes as columns of numbers and splits by their types.

Another response than classes has a file of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from types import MappingProxyType
from typing import Any

from toolz import groupby

from ftree._lib.fields import is_iterable
from ftree._lib.messages import short_repr
from ftree._lib.objects import gc_paused
from ftree.saving.json_values import by_name, check_text, items, made, members, of_plain, to_plain, whole_numbers
from ftree.tree.edit import new_branches, new_leaves, set_children
from ftree.tree.nodes import Branch, Leaf, Node, level_order
from ftree.tree.response import LARGEST_COUNT
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits.split import Split, is_split, maker_of, to_fields


def schema_to_plain(schema: Schema) -> dict[str, Any]:
    """A schema in JSON form. Raises a TypeError for a value or a class of a type that JSON cannot represent.

    >>> schema_to_plain(Schema([Feature("age", "numeric")], "ill", (False, True)))
    {'features': [{'name': 'age', 'kind': 'numeric'}], 'target': 'ill', 'classes': [False, True]}
    """
    features = list(map(_feature_to_plain, schema.features))
    plain = {"features": features, "target": check_text(schema.target), "classes": list(map(to_plain, schema.classes))}
    if schema.has_classes:
        return plain
    from ftree.saving.json_responses import response_to_plain  # noqa: PLC0415  # most trees have classes

    return {**plain, "response": response_to_plain(schema.response)}


def schema_of_plain(plain: Any, parts: Mapping[str, Any] = MappingProxyType({})) -> Schema:
    """The schema that such JSON represents; `parts` are users' responses by name. Raises a ValueError for anything else.

    >>> schema_of_plain({"features": [], "target": "ill", "classes": [False, True]})
    Schema(features=(), target='ill', classes=(False, True))
    """
    features, target, classes, given = members(plain, "The schema", ["features", "target", "classes"], ["response"])
    listed = [_feature_of_plain(each) for each in items(features, "features")]
    labels = [of_plain(each) for each in items(classes, "classes")]
    if given is None:
        return made(Schema, listed, check_text(target), labels)  # type: ignore[no-any-return]
    from ftree.saving.json_responses import response_of_plain  # noqa: PLC0415  # as above

    response = response_of_plain(given, parts)
    return made(Schema, listed, check_text(target), labels, response=response)  # type: ignore[no-any-return]


def _feature_to_plain(feature: Feature) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": check_text(feature.name), "kind": feature.kind}
    if feature.kind != "numeric":
        plain["values"] = list(map(to_plain, feature.values))
    if feature.time is not None:
        plain["time"] = feature.time
    return plain


def _feature_of_plain(plain: Any) -> Feature:
    is_numeric = isinstance(plain, dict) and str(plain.get("kind")) == "numeric"
    keys = (["name", "kind"], ["time"]) if is_numeric else (["name", "kind", "values"], [])
    name, kind, *rest = members(plain, "A feature", *keys)
    if is_numeric:
        return made(Feature, check_text(name), kind, time=rest[0])  # type: ignore[no-any-return]
    values = [of_plain(each) for each in items(rest[0], "values")]
    return made(Feature, check_text(name), kind, values)  # type: ignore[no-any-return]


def splits_to_plain(numbered: Iterable[tuple[int, Split]]) -> list[dict[str, Any]]:
    """Splits with the numbers of their nodes in JSON form, the types in the order of their first nodes.

    Raises a TypeError for a split of a type without fields to write.

    >>> from ftree.tree import Threshold
    >>> splits_to_plain([(0, Threshold(1, 0.5)), (2, Threshold(0, 2.5))])
    [{'type': 'Threshold', 'nodes': [0, 2], 'fields': {'feature': [1, 0], 'at': [0.5, 2.5]}}]
    """
    by_type: dict[type, list[tuple[int, Split]]] = groupby(lambda pair: type(pair[1]), numbered)
    _check_names(by_type)
    listed = ((family, [number for number, _ in own], [split for _, split in own]) for family, own in by_type.items())
    return [{"type": family.__name__, "nodes": nodes, "fields": _columns(family, own)} for family, nodes, own in listed]


def splits_of_plain(plain: Any, branches: Sequence[int], types: Sequence[type]) -> dict[int, Split]:
    """The split of each of the nodes `branches`, in their order. Raises a ValueError if a node has none, or two.

    >>> from ftree.tree import Threshold
    >>> splits_of_plain([{"type": "Threshold", "nodes": [0], "fields": {"feature": [1], "at": [0.5]}}], [0], [Threshold])
    {0: Threshold(feature=1, at=0.5)}
    """
    groups = [members(each, "Splits of a type", ["type", "nodes", "fields"]) for each in items(plain, "splits")]
    numbers = [whole_numbers(nodes, "The nodes of a type") for _, nodes, _ in groups]
    if sorted(chain(*numbers)) != list(branches):
        raise ValueError(f"splits must be one for each node with children, got the nodes {short_repr(numbers)}.")
    found: dict[int, Split] = {}
    for name, nodes, columns in groups:
        found.update(zip(nodes, _group_of_plain(name, len(nodes), columns, types), strict=True))
    return {number: found[number] for number in branches}


def _check_names(families: Iterable[type]) -> None:
    names: dict[str, type] = {}
    for family in families:
        if names.setdefault(check_text(family.__name__), family) is not family:
            raise TypeError(f"Split types must have distinct names, got two of the name {family.__name__}. Rename your type.")


def _columns(family: type, splits: Sequence[Split]) -> dict[str, list[Any]]:
    rows = [to_fields(split) for split in splits]
    if any(row.keys() != rows[0].keys() for row in rows):
        raise TypeError(f"to_fields() of {family.__name__} must have the same names for each split, got others for one of them.")
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
    rows = zip(*[map(_field_of_plain, column) for column in columns.values()], strict=True) if columns else [()] * n
    made = maker_of(name, types)
    return [made(dict(zip(columns, row, strict=True))) for row in rows]


@gc_paused()
def nodes_to_plain(root: Node) -> dict[str, Any]:
    """Nodes as columns: the number of children of each, its counts by class, and the splits by their types.

    >>> from ftree import Leaf
    >>> from ftree.tree import Threshold
    >>> nodes_to_plain(Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1)))))["n_children"]
    [2, 0, 0]
    """
    nodes, below = level_order(root)
    return {
        "n_children": list(map(len, below)),
        "counts": list(map(list, zip(*[node.counts for node in nodes], strict=True))),
        "splits": splits_to_plain([(number, node.split) for number, node in enumerate(nodes) if isinstance(node, Branch)]),
    }


@gc_paused()
def nodes_of_plain(plain: Any, n_channels: int, types: Sequence[type]) -> Node:
    """The root of such columns; `n_channels` is the number of classes, or of other sums; `types` are the split types allowed.

    Raises a ValueError for anything but the columns of a tree.
    """
    n_children, counts, splits = members(plain, "nodes", ["n_children", "counts", "splits"])
    listed = whole_numbers(n_children, "n_children")
    _check_shape(listed)
    rows = _rows_of_counts(counts, n_channels, len(listed))
    split_of = splits_of_plain(splits, [number for number, n in enumerate(listed) if n], types)
    for number, split in split_of.items():
        if not is_split(split) or split.n_children != listed[number]:
            wanted = f"a split with {listed[number]} children, as n_children says"
            raise ValueError(f"The split of node {number} must be {wanted}, got {short_repr(split)}.")
    return _assembled(listed, rows, list(split_of.values()))


def _check_shape(n_children: list[int]) -> None:
    """Check that each node but the root is a child of an earlier one: enough children must be announced before it."""
    promised = list(accumulate(n_children, initial=1))
    if promised[-1] != len(n_children) or any(total <= number for number, total in enumerate(promised[:-1])):
        wanted = "the numbers of children of a tree's nodes in level order"
        raise ValueError(f"n_children must be {wanted}, got {short_repr(n_children)} for {len(n_children)} nodes.")


def _rows_of_counts(plain: Any, n_channels: int, n: int) -> list[tuple[float, ...]]:
    """The counts of each node, with the same requirements as those of a `Leaf`."""
    columns = [items(each, "The counts of a class", n) for each in items(plain, "counts", n_channels)]
    for column in columns:
        if not (set(map(type, column)) <= {int, float} and min(column) >= 0 and max(column) <= LARGEST_COUNT):
            raise ValueError(f"counts must be numbers from 0 to {LARGEST_COUNT:g}, one for each node, got {short_repr(column)}.")
    rows: list[tuple[float, ...]] = list(zip(*columns, strict=True))
    if not rows or sum(map(max, columns)) > LARGEST_COUNT:
        return [Leaf(row).counts for row in rows or [()]]  # the constructor says what is wrong with them
    return rows


def _assembled(n_children: list[int], rows: list[tuple[float, ...]], splits: list[Split]) -> Node:
    """The root. All nodes are made first, and branches then get their children, so nothing recurses."""
    branches = new_branches([row for row, n in zip(rows, n_children, strict=True) if n], splits)
    leaves = new_leaves(row for row, n in zip(rows, n_children, strict=True) if not n)
    next_branch, next_leaf = iter(branches), iter(leaves)
    nodes: list[Node] = [next(next_branch) if n else next(next_leaf) for n in n_children]
    ends = accumulate([1, *(n for n in n_children if n)])
    set_children(branches, [tuple(nodes[start:end]) for start, end in pairwise(ends)])
    return nodes[0]


def own_types(splits: Any) -> tuple[type, ...]:
    """The caller's split types.

    Raises a TypeError for anything but types, a ValueError for two of one name.

    >>> own_types(())
    ()
    """
    own = tuple(splits) if is_iterable(splits) else (splits,)
    for each in own:
        if not isinstance(each, type):
            raise TypeError(f"splits must be a sequence of split types, such as (Compare,), got {short_repr(each)}.")
    return tuple(by_name("splits", own).values())
