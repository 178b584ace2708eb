"""Trees as dictionaries of plain values, or nested as in *Machine Learning in Action* (Harrington 2012, chapter 3)."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from ftree._lib.fields import require_boolean
from ftree._lib.messages import joined, short_repr, type_of
from ftree.exchange.split_keys import keys_of, split_of_keys
from ftree.saving.json_parts import part_of_plain, part_to_plain
from ftree.saving.json_trees import own_types, schema_of_plain, schema_to_plain
from ftree.tree.conditions import Wording
from ftree.tree.describe import condition
from ftree.tree.edit import branch_of
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Leaf, Node, PredictionRule, Tree, tree_of
from ftree.tree.schema import Schema, by_task, is_hashable
from ftree.tree.splits.split import Split, of_fields, require_fit, to_fields


def to_dict(tree: Tree, *, counts: bool = False, schema: bool = False) -> Any:
    """A tree as `{feature: {value: subtree or label}}`.

    The key of a nominal value is the value, that of a subset a frozenset, that of a group a tuple. A threshold has the keys
    `"<= at"` and `"> at"`; intervals have `"(above, at most]"`, and the last `"(above, inf)"`.
    The name of a weighted sum is a tuple of pairs, `((feature, weight), ...)`. The name of a split with surrogates is a
    triple: its feature, `(feature, keys, reversed, agreement, adjusted)` for each surrogate, and `default_child`. A split of
    another type has the name `(("type", its type), names of its features, its fields)`, and conditions as keys.
    With `counts`, a leaf is `{label: cases}` instead of its label, and `from_dict` returns an equal tree,
    given the same `missing`. A leaf of a regression tree is its mean, or `{"cases": ..., "sum": ..., "squares": ...}`. With
    `schema`, the dictionary is `{"schema": ..., "missing": ..., "tree": ...}`, where the schema (with times and types of labels)
    and the prediction rule are in their JSON form, so that `from_dict` needs nothing else.

    Raises a TypeError for anything but a Tree, and for a split of a type without fields to write.

    >>> from ftree import Dataset, grow
    >>> fish = Dataset.from_rows([[1, 1], [1, 1], [1, 0], [0, 1], [0, 1]], ["yes", "yes", "no", "no", "no"],
    ...                          features=["no surfacing", "flippers"], kinds="nominal")
    >>> to_dict(grow(fish))
    {'no surfacing': {0: 'no', 1: {'flippers': {0: 'no', 1: 'yes'}}}}
    """
    require_boolean("counts", counts)
    require_boolean("schema", schema)
    tree = tree_of(tree)
    described, response = tree.schema, tree.schema.response

    def leaf(node: Leaf) -> Any:
        return dict(zip(response.channels, node.counts, strict=True)) if counts else response.answer(node.counts)

    def branch(node: Branch, below: tuple[Any, ...]) -> Any:
        name, keys = _keys(described, node.split)
        return {name: dict(zip(keys, below, strict=True))}

    nested = fold(tree, leaf, branch)
    if not schema:
        return nested
    return {"schema": schema_to_plain(described), "missing": part_to_plain(tree.missing), "tree": nested}


def from_dict(
    nested: Any, schema: Schema | None = None, *, splits: Iterable[type] = (), missing: PredictionRule | None = None
) -> Tree:
    """The tree of a nested dictionary as made by `to_dict`; a leaf that is a label has one case, one of numbers needs its sums.

    `splits` are users' split types that the tree may have, as in `splits=(Compare,)`. No name is imported.
    `missing` is the tree's prediction rule for missing values, as in `Tree`. Without a schema, the dictionary must have both,
    as `to_dict(tree, schema=True)` writes them.

    Raises a KeyError for a feature that the schema lacks. Raises a ValueError for a value or a label that the schema
    lacks, for keys that do not make a split, for a dictionary that is inside itself, and for shared parts that make a tree of
    more than a million nodes.

    >>> from ftree import Feature
    >>> schema = Schema((Feature("flippers", "nominal", (0, 1)),), "fish", ("no", "yes"))
    >>> from_dict({"flippers": {0: "no", 1: "yes"}}, schema).root
    Branch(counts=(1, 1), split=Multiway(feature=0, values=(0, 1)), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))
    """
    if schema is None and isinstance(nested, Mapping) and nested.keys() == {"schema", "missing", "tree"}:
        given, rule, nested = nested["schema"], nested["missing"], nested["tree"]
        schema, missing = schema_of_plain(given), part_of_plain(rule) if missing is None else missing
    if not isinstance(schema, Schema):
        raise TypeError(f"schema must be a Schema, such as dataset.schema, got {type_of(schema)}.")
    return Tree(schema, _root(nested, schema, splits), missing=missing)


def _root(nested: Any, schema: Schema, splits: Iterable[type]) -> Node:
    types, known = own_types(splits), dict.fromkeys(schema.response.channels)

    def below(part: Any) -> Iterable[Any]:
        return _inner(part)[1].values() if _is_branch(part) else ()

    def combine(part: Any, nodes: tuple[Node, ...]) -> Node:
        if not _is_branch(part):
            if not (schema.has_classes or (isinstance(part, Mapping) and part.keys() == known.keys())):
                wanted = f"a dictionary of {joined(map(str, known))}, as to_dict(tree, counts=True) makes them"
                raise ValueError(f"A leaf of {by_task(schema.response.kind)} must be {wanted}, got {short_repr(part)}.")
            return Leaf(_leaf_counts(part, known))
        name, children = _inner(part)
        return branch_of(_split(schema, name, tuple(children), types), nodes)

    return fold_nested(nested, below, combine)


def _is_branch(part: Any) -> bool:
    return isinstance(part, Mapping) and any(isinstance(below, Mapping) for below in part.values())


def _inner(part: Mapping[Any, Any]) -> tuple[Any, Mapping[Any, Any]]:
    ((name, children), *others) = part.items()
    if others or not children:
        wanted = "a dictionary with one key, a feature's name, and a dictionary of subtrees"
        raise ValueError(f"A branch must be {wanted}, got the keys {short_repr(list(part))}.")
    return name, children


def _leaf_counts(part: Any, classes: Mapping[Hashable, Any]) -> tuple[float, ...]:
    """The counts of a leaf in the order of the classes, which are the keys of a mapping for fast lookup."""
    if not (isinstance(part, Mapping) or is_hashable(part)):
        message = f"A leaf must be a label, or a dictionary of labels to cases, got {short_repr(part)}."
        raise ValueError(message)  # the error is in the dictionary, not in the argument's type
    cases = part if isinstance(part, Mapping) else {part: 1}
    strange = [label for label in cases if label not in classes]
    if strange:
        raise ValueError(f"A label must be one of {joined(map(short_repr, classes))}, got {short_repr(strange[0])}.")
    return tuple(cases.get(label, 0) for label in classes)


def _keys(schema: Schema, split: Split) -> tuple[Hashable, tuple[Hashable, ...]]:
    """The name of a split, and a key for each child."""
    own = keys_of(schema, split)
    if own is not None:
        return own
    features = tuple([schema.features[number].name for number in split.features])
    name = (("type", type(split).__name__), features, _hashable(to_fields(split)))
    return name, tuple([condition(schema, split, child, Wording()) for child in range(split.n_children)])


def _split(schema: Schema, name: Any, keys: tuple[Any, ...], types: tuple[type, ...]) -> Split:
    match name:
        case (("type", str(family)), tuple(features), fields):
            return _of_fields(schema, (family, features, fields), keys, types)
    split = split_of_keys(schema, name, keys)
    if split is None:
        wanted = "'<= a number' and '> the same number', or '(-inf, a number]' and so on to '(the last number, inf)'"
        raise ValueError(f"Keys of the numeric feature {short_repr(name)} must be {wanted}, got {short_repr(list(keys))}.")
    return split


def _of_fields(schema: Schema, name: tuple[str, Any, Any], keys: tuple[Any, ...], types: tuple[type, ...]) -> Split:
    """A split of a type without keys of its own; names and keys must be those that it writes in this schema."""
    family, features, fields = name
    split = of_fields(family, _thawed(fields), types)
    require_fit(schema, split)
    written, conditions = _keys(schema, split)
    if written != (("type", family), features, fields) or conditions != keys:
        got = f"{short_repr(name)} and {keys!r}"
        message = f"The name and keys of {short_repr(split)} must be {written!r} and {conditions!r}, got {got}."
        raise ValueError(message)
    return split


def _hashable(value: Any) -> Any:
    """Fields as nested tuples, which can be keys: a dict becomes a tuple of pairs after the word "fields"."""
    if isinstance(value, Mapping):
        return ("fields", *((key, _hashable(each)) for key, each in value.items()))
    return tuple(map(_hashable, value)) if isinstance(value, (tuple, list)) else value


def _thawed(value: Any) -> Any:
    """The fields that such tuples represent."""
    if not isinstance(value, tuple):
        return value
    kind, *pairs = value or (None,)
    if kind == "fields" and all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):  # noqa: PLR2004  # name and value
        return {key: _thawed(each) for key, each in pairs}
    return tuple(map(_thawed, value))


_R = TypeVar("_R")
# A tree in which parts are shared may have at most this many nodes, since most functions of a tree visit each of its paths.
MOST_NODES = 1_000_000


def fold_nested(nested: Any, below: Callable[[Any], Iterable[Any]], combine: Callable[[Any, tuple[_R, ...]], _R]) -> _R:
    """Compute `combine(part, results of the parts below it)` for the whole, the parts below first, left to right.

    `below(part)` gives the parts below a part. A part that occurs several times is computed once.

    Raises a ValueError for a part inside itself, and for shared parts that make a tree of more than a million nodes.

    >>> fold_nested([[], []], list, lambda part, below: 1 + sum(below))
    3
    """
    # By id: the part, which is kept so that no other object gets its id, its number of nodes, and its result.
    done: dict[int, tuple[Any, int, _R]] = {}
    open_parts: dict[int, list[Any]] = {}
    stack, n_found = [nested], 1
    while stack:
        part = stack[-1]
        key = id(part)
        if key in done:
            stack.pop()
        elif key in open_parts:
            found = [done[id(each)] for each in open_parts.pop(key)]
            size = 1 + sum(n for _, n, _ in found)
            if size > MOST_NODES and size > n_found:  # without shared parts, a tree has as many nodes as parts were found
                wanted = f"a dictionary whose shared parts make a tree of at most {MOST_NODES:,} nodes"
                raise ValueError(f"nested must be {wanted}, got a part that makes {size:,} nodes.")
            done[key] = part, size, combine(part, tuple([result for _, _, result in found]))
        else:
            open_parts[key] = inner = list(below(part))
            n_found += len(inner)
            if any(id(each) in open_parts for each in inner):
                raise ValueError("nested must be a dictionary of finite depth, got one that is inside itself.")
            stack += reversed(inner)
    return done[id(nested)][2]
