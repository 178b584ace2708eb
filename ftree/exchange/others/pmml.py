"""Trees of PMML: a TreeModel for classification, with splits of one field and with surrogates."""

from collections import defaultdict
from collections.abc import Sequence
from math import inf
from typing import Any

from ftree._lib.messages import joined, short_repr
from ftree.exchange.others.grown_from import from_links, whole_where_near
from ftree.exchange.others.markup import Element, parsed
from ftree.exchange.others.pmml_predicates import PREDICATES, split_and_order, words_of
from ftree.routing.all_routes import all_routes
from ftree.routing.stop_here import stop_here
from ftree.routing.weighted import weighted
from ftree.tree.nodes import Counts, Tree
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import WithDefault
from ftree.tree.splits.protocol import Split

_KINDS: dict[str | None, Any] = {"categorical": "nominal", "ordinal": "ordinal", "continuous": "numeric"}
# PMML's rules for missing values; where they give no answer, a row follows all routes.
_RULES: dict[str, PredictionRule] = {
    "lastPrediction": stop_here(),
    "weightedConfidence": weighted(),
    "aggregateNodes": all_routes(),
}


def from_pmml(text: str | bytes) -> Tree:
    """The tree of a PMML document with one TreeModel for classification.

    Each node's children are divided by one field: by a threshold, intervals, values, sets of values, whether it is missing,
    or by a field with surrogates. Counts are those of the leaves' score distributions; a leaf without one has its record
    count, or one case, of its score. The strategy for missing values becomes the prediction rule.

    Raises a ValueError for any other document, such as one in which a child takes all values but missing ones without naming
    them, and for one with a document type, which could name files.

    Source: PMML 4.4, TreeModel (Data Mining Group).

    >>> from ftree import grow, n_leaves
    >>> from ftree.datasets import weather
    >>> from ftree.exchange import to_pmml
    >>> tree = grow(weather())
    >>> n_leaves(from_pmml(to_pmml(tree, missing="heaviest"))) == n_leaves(tree)
    True
    """
    document = parsed(text)
    models = document.all("TreeModel")
    if document.name != "PMML" or len(models) != 1 or models[0].attributes.get("functionName") != "classification":
        message = f"text must be PMML with one TreeModel for classification, got {short_repr(document.name)} with {len(models)}."
        raise ValueError(message)
    (model,) = models
    schema = _schema(document, model)
    strategy = model.attributes.get("missingValueStrategy", "none")
    nodes, below = _numbered(_only(model, "Node"))
    made = {number: _split(schema, [nodes[child] for child in kids]) for number, kids in enumerate(below) if kids}

    def split(number: int) -> Split:
        own, order = made[number]
        default = nodes[number].attributes.get("defaultChild")
        if strategy != "defaultChild" or default is None:
            return own
        ids = [nodes[below[number][place]].attributes.get("id") for place in order]
        return WithDefault(own, default_child=_place(ids, default))

    root = from_links(
        lambda number: [below[number][place] for place in made[number][1]] if below[number] else (),
        split,
        lambda number: _counts(schema, nodes[number]),
    )
    stays = strategy == "none" and model.attributes.get("noTrueChildStrategy") == "returnLastPrediction"
    return Tree(schema, root, missing=stop_here() if stays else _RULES.get(strategy))


def _numbered(root: Element) -> tuple[list[Element], list[list[int]]]:
    """All nodes, and the numbers of those below each."""
    nodes, below = [root], []
    for node in nodes:  # the list grows while it is read
        kids = node.all("Node")
        below.append(list(range(len(nodes), len(nodes) + len(kids))))
        nodes += kids
    return nodes, below


def _schema(document: Element, model: Element) -> Schema:
    fields = {each.attributes.get("name"): each for each in _only(document, "DataDictionary").all("DataField")}
    used = [
        (each.attributes.get("name"), each.attributes.get("usageType", "active"))
        for each in _only(model, "MiningSchema").children
    ]
    targets = [name for name, usage in used if usage in ("target", "predicted")]
    unknown = [name for name, _ in used if name not in fields]
    if len(targets) != 1 or unknown:
        message = f"MiningSchema must have one target, and fields of the DataDictionary, got {short_repr([*targets, *unknown])}."
        raise ValueError(message)
    seen = _values_seen(model)
    features = [_feature(fields[name], seen.get(name, {})) for name, usage in used if usage == "active"]
    return Schema(features, targets[0], _values(fields[targets[0]], {}))


def _values_seen(model: Element) -> defaultdict[str | None, dict[str, None]]:
    """The values of each field that occur in predicates, in order, since a field need not declare its values."""
    seen: defaultdict[str | None, dict[str, None]] = defaultdict(dict)
    elements = [model]
    while elements:
        element = elements.pop()
        field = element.attributes.get("field")
        if element.name == "SimplePredicate" and "value" in element.attributes:
            seen[field][element.attributes["value"]] = None
        if element.name == "SimpleSetPredicate":
            seen[field] |= dict.fromkeys(word for array in element.all("Array") for word in words_of(array.text))
        elements += reversed(element.children)
    return seen


def _feature(field: Element, seen: dict[str, None]) -> Feature:
    kind = _KINDS.get(field.attributes.get("optype"))
    if kind is None:
        message = f"optype must be one of {joined(map(repr, _KINDS))}, got {short_repr(field.attributes.get('optype'))}."
        raise ValueError(message)
    return Feature(field.attributes["name"], kind, () if kind == "numeric" else _values(field, seen))


def _values(field: Element, seen: dict[str, None]) -> list[Any]:
    """The declared values, or those that occur if none are declared, converted to the field's type."""
    declared = [
        each.attributes.get("value", "") for each in field.all("Value") if each.attributes.get("property", "valid") == "valid"
    ]
    listed, kind = declared or list(seen), field.attributes.get("dataType", "string")
    try:
        return [_READ.get(kind, str)(value) for value in listed]
    except ValueError:
        message = f"Values of the field {field.attributes.get('name')!r} must be of the type {kind}, got {short_repr(listed)}."
        raise ValueError(message) from None


_READ: dict[str, Any] = {"integer": int, "double": float, "float": float, "boolean": "true".__eq__}


def _split(schema: Schema, nodes: Sequence[Element]) -> tuple[Split, list[int]]:
    predicates = [[each for each in node.children if each.name in PREDICATES] for node in nodes]
    if any(len(each) != 1 for each in predicates):
        message = f"Each Node must have one predicate, got {short_repr([len(each) for each in predicates])}."
        raise ValueError(message)
    return split_and_order(schema, [each[0] for each in predicates])


def _counts(schema: Schema, node: Element) -> Counts:
    labels = {str(label).lower() if isinstance(label, bool) else str(label): n for n, label in enumerate(schema.classes)}
    counts = [0.0] * len(schema.classes)
    parts = node.all("ScoreDistribution") or [Element("", {"value": node.attributes.get("score", ""), **node.attributes})]
    for part in parts:
        label, n = part.attributes.get("value", ""), part.attributes.get("recordCount", "1")
        if label not in labels:
            message = f"A score must be one of {joined(map(repr, labels))}, got {short_repr(label)}."
            raise ValueError(message)
        counts[labels[label]] += _number(n)
    return tuple(whole_where_near(counts))


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = inf
    if not 0 <= number < inf:
        message = f"recordCount must be a finite number from 0, got {short_repr(text)}."
        raise ValueError(message)
    return number


def _only(element: Element, name: str) -> Element:
    found = element.all(name)
    if len(found) != 1:
        message = f"{element.name} must have one {name}, got {len(found)}."
        raise ValueError(message)
    return found[0]


def _place(ids: Sequence[str | None], default: str) -> int:
    if default not in ids:
        message = f"defaultChild must be the id of a child, got {short_repr(default)}."
        raise ValueError(message)
    return ids.index(default)
