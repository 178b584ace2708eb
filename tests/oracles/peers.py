"""Trees that other programs grew, and the library's in the same form; `facts/README.md` describes the form of the files.

A node of Weka's, once read, is `(class, counts)`, `(feature, {value: node})` or `(feature, cut, low, high)`.
"""

import json
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from ftree import Branch, Dataset, Leaf, Tree, fold, gain, grow, majority
from ftree.data.coding import decode
from ftree.tree import Groups, Multiway, Subset, Threshold, WithSurrogates
from ftree.tree.schema import position
from ftree.tree.splits import child_of

FACTS = Path(__file__).parent / "facts"
# Fractions of cases are written with six digits.
ROUNDED = 1e-6


def tables(folder):
    """Names of the tables that a folder has facts about."""
    return sorted(path.stem for path in (FACTS / folder).glob("*.json"))


def facts(folder, table):
    return json.loads((FACTS / folder / f"{table}.json").read_text())


def dataset(shared, fact, *, name=None):
    """The table that a fact is about, or another one with the same columns; it declares the values in its rows."""
    path = shared / "data" / f"{name or fact['data']}.csv"
    with path.open() as file:
        columns = file.readline().strip().split(",")[:-1]
    kinds = {column: "numeric" if column in fact["numeric"] else "nominal" for column in columns}
    table = in_texts(Dataset.read_csv(path, kinds=kinds))
    if name or len(table) == fact["rows"]:
        return table
    first = table.take(np.arange(fact["rows"]))
    cells = [decode(feature, column) for feature, column in zip(table.schema.features, first.columns, strict=True)]
    labels = [table.schema.classes[code] for code in first.target_column]
    return Dataset.from_columns(dict(zip(columns, cells, strict=True)) | {"class": labels}, kinds=kinds)


def table(fact, *, response, target=None, others=()):
    """The table whose columns are in a fact: those of texts are nominal or ordered, the others numbers."""
    target, columns, kinds = target or fact["target"], {}, {}
    for name, cells in fact["columns"].items():
        is_text = any(isinstance(cell, str) for cell in cells)
        columns[name] = cells if is_text else np.array(cells, dtype=float)
        if name not in (target, *others):
            kinds[name] = fact.get("ordered", {}).get(name, "nominal" if is_text else "numeric")
    return Dataset.from_columns(columns, target=target, kinds=kinds, response=response, weights=fact.get("weights"))


def in_texts(dataset):
    """The dataset with its values and classes as texts, as the other programs write them."""
    features = [evolve(feature, values=list(map(_written, feature.values))) for feature in dataset.schema.features]
    return evolve(dataset, schema=evolve(dataset.schema, features=features, classes=list(map(str, dataset.schema.classes))))


def _written(value):
    return str(value).upper() if isinstance(value, bool) else str(value)


def is_empty(node):
    return isinstance(node[1], tuple) and not any(node[1])


def as_weka(tree):
    """A tree of the library in Weka's form."""
    return _as_weka(tree.root, tree.root.counts, tree.schema)


def _as_weka(node, above, schema):
    """A node; one without cases is labelled like the node above it."""
    seen = node.counts if any(node.counts) else above
    if isinstance(node, Leaf):
        return schema.classes[majority(seen)], node.counts
    feature, below = schema.features[node.split.feature], [_as_weka(child, seen, schema) for child in node.children]
    if isinstance(node.split, Threshold):
        return feature.name, node.split.at, *below
    return feature.name, {feature.values[code]: child for code, child in zip(node.split.values, below, strict=True)}


def weka(written):
    """A node of a file."""
    match written:
        case [feature, [[_, [*_]], *_] as branches]:
            return feature, {value: weka(node) for value, node in branches}
        case [feature, cut, low, high]:
            return feature, cut, weka(low), weka(high)
        case [label, counts]:
            return label, tuple(counts)


def present(node):
    """The node without the values that no case has."""
    match node:
        case feature, dict() as branches:
            return feature, {value: present(child) for value, child in branches.items() if not is_empty(child)}
        case feature, cut, low, high:
            return feature, cut, present(low), present(high)
    return node


def from_weka(node, schema):
    """A tree of the library from Weka's form."""
    return Tree(schema, _node(node, schema))


def _node(node, schema):
    match node:
        case feature, dict() as branches:
            number = position(schema, feature)
            codes = [schema.features[number].values.index(value) for value in branches]
            return _branch(Multiway(number, codes), [_node(child, schema) for child in branches.values()])
        case feature, cut, low, high:
            return _branch(Threshold(position(schema, feature), cut), [_node(low, schema), _node(high, schema)])
        case _, counts:
            return Leaf(counts)


def _branch(split, children):
    return Branch(np.sum([child.counts for child in children], axis=0), split, children)


def assert_same(mine, theirs, path=()):
    """The same features, values and cuts; the same counts in every leaf, except for rounding."""
    assert (mine[0], len(mine)) == (theirs[0], len(theirs)), path
    if isinstance(theirs[1], dict):
        assert list(mine[1]) == list(theirs[1]), path
        for value, node in theirs[1].items():
            assert_same(mine[1][value], node, (*path, (theirs[0], value)))
    elif len(theirs) > 2:
        assert mine[1] == pytest.approx(theirs[1], rel=1e-12), path
        assert_same(mine[2], theirs[2], (*path, (theirs[0], "<=", theirs[1])))
        assert_same(mine[3], theirs[3], (*path, (theirs[0], ">", theirs[1])))
    else:
        assert mine[1] == pytest.approx(theirs[1], abs=ROUNDED), path


def rpart(written):
    """A node of a file, the lower side of a cut or the side of the first value first."""
    label, counts, *rest = written
    if not rest:
        return label, tuple(counts)
    split, surrogates, *below = rest
    turned, asks = first_side(split)
    backed = [(*first_side(surrogate[:3]), *surrogate[3:]) for surrogate in surrogates]
    stand_ins = [(asked, flipped != turned, agree, adj) for flipped, asked, agree, adj in backed]
    low, high = map(rpart, reversed(below) if turned else below)
    return label, tuple(counts), asks, stand_ins, low, high


def first_side(split):
    """Whether a split is reversed so that its first side is first; its feature with its cut, or with the values there."""
    feature, left, right = split
    if left in ("<", ">="):
        return left == ">=", (feature, right)
    return min(right) < min(left), (feature, tuple(min(left, right)))


def as_rpart(tree):
    """A tree of the library in rpart's form."""
    schema = tree.schema

    def leaf(node):
        return schema.classes[majority(node.counts)], node.counts

    def branch(node, below):
        own, surrogates = (
            (node.split.split, node.split.surrogates) if isinstance(node.split, WithSurrogates) else (node.split, ())
        )
        stand_ins = [(*asked(schema, one.split, first=int(one.reversed)), one.agreement, one.adjusted) for one in surrogates]
        return *leaf(node), asked(schema, own)[0], stand_ins, *below

    return fold(tree, leaf, branch)


def asked(schema, split, *, first=0):
    """A split's feature with its cut, or with the values on the first value's side; and whether that side means child 1."""
    feature = schema.features[split.feature]
    match split:
        case Threshold(_, at):
            return (feature.name, at), first == 1
        case Subset(_, members):
            return (feature.name, tuple(feature.values[code] for code in members)), first == 1
        case Groups(_, groups):
            side = groups.index(min(groups))
            return (feature.name, tuple(feature.values[code] for code in groups[side])), first != side


class OfSklearn:
    """A node of scikit-learn's tree with the rows that reach it."""

    def __init__(self, tree, rows, number=0):
        self.tree, self.rows, self.number = tree, rows, number
        self.is_leaf = tree.children_left[number] < 0

    def children(self, data):
        cells = data.columns[self.tree.feature[self.number]][self.rows]
        low = np.where(np.isnan(cells), self.tree.missing_go_to_left[self.number], cells <= self.tree.threshold[self.number])
        below = self.tree.children_left[self.number], self.tree.children_right[self.number]
        return [OfSklearn(self.tree, self.rows[low == side], number) for side, number in zip((1, 0), below, strict=True)]

    def counts(self, data):
        return np.bincount(
            data.target_column[self.rows], None if data.weights is None else data.weights[self.rows], len(data.schema.classes)
        )


def compared(data, policy, mine, theirs):
    """The nodes as "leaf", "same" or "tie"; below a tie the tree is grown again from the peer's parts."""
    assert mine.counts == tuple(theirs.counts(data))
    assert isinstance(mine, Leaf) == theirs.is_leaf
    if theirs.is_leaf:
        yield "leaf"
        return
    parts = theirs.children(data)
    child = child_of(mine.split, *(data.columns[feature][theirs.rows] for feature in mine.split.features))
    same = all(np.array_equal(theirs.rows[child == side], part.rows) for side, part in enumerate(parts))
    yield "same" if same else "tie"
    if not same:
        gained = gain([part.counts(data) for part in parts], policy.impurity)
        assert gain([below.counts for below in mine.children], policy.impurity) == pytest.approx(gained, abs=1e-9)
    children = mine.children if same else [grow(data.take(part.rows), policy).root for part in parts]
    for below, part in zip(children, parts, strict=True):
        yield from compared(data, policy, below, part)


@contextmanager
def surrogates_of_rpart():
    """Within it, the plain engine finds surrogates by values as rpart does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("ftree.splitters.surrogates"), "_of_values", values_as_rpart_asks)
        yield


def values_as_rpart_asks(number, value, counts, least):
    """A surrogate by values as `ftree.missing.surrogates` finds it, with the additional condition of rpart 4.1.

    rpart requires two cases sent right and two sent wrong, although two on each side are meant (choose_surg.c counts the
    wrong ones in `lcount`), so that it accepts no perfect surrogate.
    """
    below, above = counts.T
    side = np.where(below == above, above.sum() > below.sum(), above > below).astype(int)
    right = counts[np.arange(len(side)), side].sum()
    if min(right, counts.sum() - right) < least or side.all() or not side.any():
        return None
    codes = value.astype(int)
    return Groups(number, (codes[side == 0].tolist(), codes[side == 1].tolist())), False, float(right)
