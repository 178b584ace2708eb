"""Trees of PMML: a TreeModel for classification or regression, with splits of one field and with surrogates."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.parsers import expat

import numpy as np
from attrs import evolve

from ftree._lib.arrays import TIE
from ftree._lib.fields import require_one_of
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.values import number_in_text
from ftree.exchange.others.pmml_predicates import of_same_type, predicates_of, split_and_order, words_of
from ftree.exchange.others.readers import from_splits, numbered, sums_of_numbers, value_in_text
from ftree.routing.missing_rules import all_routes, stop_here, weighted
from ftree.tree.nodes import PredictionRule, Tree
from ftree.tree.response import Counts, majority, numbers, whole_numbers
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import WithDefault
from ftree.tree.splits.split import Split

_KINDS: dict[str, Any] = {"categorical": "nominal", "ordinal": "ordinal", "continuous": "numeric"}
_STRATEGIES = ("none", "lastPrediction", "nullPrediction", "defaultChild", "weightedConfidence", "aggregateNodes")
# PMML's rules for missing values; where they give no answer, a row follows all routes.
_RULES: dict[str, PredictionRule] = {
    "lastPrediction": stop_here(),
    "weightedConfidence": weighted(),
    "aggregateNodes": all_routes(),
}


def from_pmml(text: str | bytes) -> Tree:
    """The tree of a PMML document with one TreeModel for classification or regression.

    Each node's children are divided by one field: by a threshold, intervals, values, sets of values, whether it is missing, or by
    a field with surrogates. Counts are those of the score distributions, or their probabilities times the record count; a leaf
    without one has its record count, or one case, of its score. Of regression, a leaf has its record count, or one case, with its
    score as their mean, and the standard deviation of its Partition, or 0. A branch has the sum of its children, unless its score
    is another answer than that of the sum; then it has its own. The strategy for missing values becomes the prediction rule.

    Raises a ValueError for any other document, such as one in which a child takes all values but missing ones without naming
    them, one whose scores are not the most frequent classes of their distributions, or whose fields replace values, and for one
    with a document type, which could name files.

    Source: PMML 4.4, TreeModel (Data Mining Group).

    >>> from ftree import datasets, grow, n_leaves
    >>> from ftree.exchange import to_pmml
    >>> tree = grow(datasets.weather())
    >>> n_leaves(from_pmml(to_pmml(tree, missing="heaviest"))) == n_leaves(tree)
    True
    """
    document = parsed(text)
    model, of_classes = _model(document)
    schema, rule = _schema(document, model, of_classes=of_classes), _rule(model)
    nodes, below = numbered(_only(model, "Node"), lambda node: node.findall("Node"))
    schema, counts = _counts_of_nodes(schema, nodes, below)
    by_default = model.attrib.get("missingValueStrategy") == "defaultChild"
    made = {
        number: _split(schema, nodes[number], [nodes[child] for child in kids], by_default=by_default)
        for number, kids in enumerate(below)
        if kids
    }
    return Tree(schema, from_splits(below, made, counts.__getitem__, counts.get), missing=rule)


def _model(document: Element) -> tuple[Element, bool]:
    """The one TreeModel, and whether it is of classes."""
    models = document.findall("TreeModel")
    function = models[0].attrib.get("functionName") if models else None
    if document.tag != "PMML" or len(models) != 1 or function not in ("classification", "regression"):
        wanted = "one TreeModel for classification or regression"
        raise ValueError(f"text must be PMML with {wanted}, got {short_repr(document.tag)} with {len(models)}.")
    return models[0], function == "classification"


def _rule(model: Element) -> PredictionRule | None:
    """The prediction rule for missing values."""
    strategy = model.attrib.get("missingValueStrategy", "none")
    untrue = model.attrib.get("noTrueChildStrategy", "returnNullPrediction")
    require_one_of("missingValueStrategy", strategy, _STRATEGIES)
    require_one_of("noTrueChildStrategy", untrue, ("returnNullPrediction", "returnLastPrediction"))
    return stop_here() if (strategy, untrue) == ("none", "returnLastPrediction") else _RULES.get(strategy)


def _schema(document: Element, model: Element, *, of_classes: bool) -> Schema:
    fields = {each.attrib.get("name"): each for each in _only(document, "DataDictionary").findall("DataField")}
    used = [(each.attrib.get("name"), each.attrib.get("usageType", "active")) for each in _only(model, "MiningSchema")]
    targets = [name for name, usage in used if usage in ("target", "predicted")]
    unknown = [name for name, _ in used if name not in fields]
    if len(targets) != 1 or unknown:
        message = f"MiningSchema must have one target, and fields of the DataDictionary, got {short_repr([*targets, *unknown])}."
        raise ValueError(message)
    replaced = [each.attrib for each in _only(model, "MiningSchema") if _replaces(each.attrib)]
    if replaced:
        raise ValueError(f"A MiningField must not replace values, got {short_repr(replaced[0])}. Replace them beforehand.")
    seen = _values_seen(model)
    features = [_feature(fields[name], seen.get(name, {})) for name, usage in used if usage == "active"]
    if of_classes:
        return Schema(features, targets[0], _values(fields[targets[0]], _scores_seen(model)))
    rescaled = [each.attrib for each in model.iter("Target") if each.attrib.keys() - {"field", "optype"}]
    if rescaled:
        raise ValueError(f"A Target of a regression must not change its numbers, got {short_repr(rescaled[0])}.")
    return Schema(features, targets[0], (), response=numbers())


def _replaces(field: Mapping[str, str]) -> bool:
    """Whether a MiningField makes other values of missing or invalid ones, or of extreme ones."""
    return bool({"missingValueReplacement", "invalidValueReplacement"} & field.keys()) or field.get("outliers", "asIs") != "asIs"


def _values_seen(model: Element) -> defaultdict[str | None, dict[str, None]]:
    """The values of each field that occur in predicates, in order, since a field need not declare its values."""
    seen: defaultdict[str | None, dict[str, None]] = defaultdict(dict)
    for element in model.iter():
        field = element.attrib.get("field")
        if element.tag == "SimplePredicate" and "value" in element.attrib:
            seen[field][element.attrib["value"]] = None
        if element.tag == "SimpleSetPredicate":
            seen[field] |= dict.fromkeys(word for array in element.findall("Array") for word in words_of(array.text or ""))
    return seen


def _scores_seen(model: Element) -> dict[str, None]:
    """The scores that occur, in order, since a target need not declare its classes."""
    told = [each.attrib.get({"Node": "score", "ScoreDistribution": "value"}.get(each.tag, "")) for each in model.iter()]
    return {score: None for score in told if score is not None}


def _feature(field: Element, seen: dict[str, None]) -> Feature:
    stated: Any = field.attrib.get("optype")
    require_one_of("optype", stated, _KINDS)
    kind = _KINDS[stated]
    return Feature(field.attrib["name"], kind, () if kind == "numeric" else _values(field, seen))


def _values(field: Element, seen: dict[str, None]) -> list[Any]:
    """The declared values, or those that occur if none are declared, converted to the field's type."""
    declared = [
        each.attrib.get("value", "") for each in field.findall("Value") if each.attrib.get("property", "valid") == "valid"
    ]
    listed, kind = declared or list(seen), field.attrib.get("dataType", "string")
    read = partial(value_in_text, _TYPES.get(kind, str))
    try:
        return list(dict.fromkeys(map(read, listed)))  # one number may be written in several ways
    except ValueError:
        message = f"Values of the field {field.attrib.get('name')!r} must be of the type {kind}, got {short_repr(listed)}."
        raise ValueError(message) from None


# The type of a field's values; dates and times stay texts, which all exports can write.
_TYPES: dict[str, type] = {"integer": int, "double": float, "float": float, "boolean": bool}


def _split(schema: Schema, node: Element, kids: Sequence[Element], *, by_default: bool) -> tuple[Split, list[int]]:
    """The split of a node, and the order of its children; rows without an answer may go to its default child."""
    predicates = list(map(predicates_of, kids))
    if any(len(each) != 1 for each in predicates):
        raise ValueError(f"Each Node must have one predicate, got {short_repr([len(each) for each in predicates])}.")
    split, order = split_and_order(schema, [each[0] for each in predicates])
    default = node.attrib.get("defaultChild") if by_default else None
    if default is None:
        return split, order
    ids = [kids[place].attrib.get("id") for place in order]
    if default not in ids:
        raise ValueError(f"defaultChild must be the id of a child, got {short_repr(default)}.")
    return WithDefault(split, default_child=ids.index(default)), order


def _counts_of_nodes(
    schema: Schema, nodes: Sequence[Element], below: Sequence[Sequence[int]]
) -> tuple[Schema, dict[int, Counts]]:
    """The counts that nodes state; those of numbers are sums of a response, which the schema gets."""
    if schema.has_classes:
        return schema, _stated(nodes, below, _added, partial(_counts, schema), _same_class)
    own = partial(_number_of_node, schema.target)
    response, counts = sums_of_numbers(_stated(nodes, below, _pooled, own, _same_number))
    return evolve(schema, response=response), counts


def _stated(
    nodes: Sequence[Element],
    below: Sequence[Sequence[int]],
    pooled: Callable[[list[Counts]], Counts],
    own: Callable[[Element, Counts], Counts],
    same: Callable[[Counts, Counts], bool],
) -> dict[int, Counts]:
    """The figures that nodes state: all leaves, and branches of another answer than their children's together."""
    stated: dict[int, Counts] = {}
    figures: dict[int, Counts] = {}
    for number in reversed(range(len(nodes))):  # children come after their parents
        node, kids = nodes[number], [figures[child] for child in below[number]]
        figures[number] = pooled(kids) if kids else ()
        if not kids or "score" in node.attrib or node.findall("ScoreDistribution"):
            told = own(node, figures[number])
            if not kids or node.findall("ScoreDistribution") or not same(told, figures[number]):
                stated[number] = figures[number] = told
    return stated


def _counts(schema: Schema, node: Element, _: Counts) -> Counts:
    codes = {label: code for code, label in enumerate(schema.classes)}
    counts, score = np.zeros(len(schema.classes)), node.attrib.get("score")
    for told, cases in _distribution(node):
        label = of_same_type(schema.classes, told)
        if label not in codes:
            raise ValueError(f"A score must be one of {joined(map(repr, codes))}, got {short_repr(told)}.")
        counts[codes[label]] += cases
    if score is not None and codes.get(of_same_type(schema.classes, score)) != majority(counts):
        most = schema.classes[majority(counts)]
        raise ValueError(f"A score must be the most frequent class, the first of equal ones, {most!r}, got {short_repr(score)}.")
    return tuple(whole_numbers(counts))


def _distribution(node: Element) -> list[tuple[str, float]]:
    """Scores of a node and their cases: those that are stated, or shares of the node's, or all of the node's for its score."""
    stated, of_node = [each.attrib for each in node.findall("ScoreDistribution")], node.attrib.get("recordCount", "1")
    if not stated:
        return [(node.attrib.get("score", ""), _number(of_node))]
    return [(part.get("value", ""), _cases(part, of_node)) for part in stated]


def _cases(part: Mapping[str, str], of_node: str) -> float:
    if "probability" in part and "recordCount" not in part:
        return _number(part["probability"], "probability") * _number(of_node)
    return _number(part.get("recordCount", ""))


def _added(kids: list[Counts]) -> Counts:
    return tuple([sum(counts) for counts in zip(*kids, strict=True)])


def _same_class(one: Counts, other: Counts) -> bool:
    return majority(one) == majority(other)


def _number_of_node(target: str, node: Element, below: Counts) -> Counts:
    """The cases of a node, their mean, and the sum of squared distances from it."""
    stats = [each for each in node.iterfind("Partition/PartitionFieldStats") if each.attrib.get("field") == target]
    info = stats[0].find("NumericInfo") if stats else None
    deviation = _number("0" if info is None else info.attrib.get("standardDeviation", "0"), "standardDeviation")
    cases = _number(node.attrib.get("recordCount", str(below[0]) if below else "1"))
    return cases, _number(node.attrib.get("score", ""), "score", least=-inf), cases * deviation * deviation


def _pooled(kids: list[Counts]) -> Counts:
    cases = sum(each[0] for each in kids)
    return cases, sum(n * mean for n, mean, *_ in kids) / (cases or 1.0)


def _same_number(one: Counts, other: Counts) -> bool:
    return all(abs(a - b) <= TIE * max(abs(a), abs(b)) for a, b in zip(one, other, strict=False))


def _number(text: str, name: str = "recordCount", least: float = 0) -> float:
    try:
        number = number_in_text(text)
    except ValueError:
        number = inf
    if not least <= number < inf or number == -inf:
        wanted = "a finite number" if least else "a finite number from 0"
        raise ValueError(f"{name} must be {wanted}, got {short_repr(text)}.")
    return number


def _only(element: Element, name: str) -> Element:
    found = element.findall(name)
    if len(found) != 1:
        raise ValueError(f"{element.tag} must have one {name}, got {len(found)}.")
    return found[0]


def parsed(text: str | bytes) -> Element:
    """The outermost element, without namespaces. Raises a ValueError for text that is not XML, or has a document type.

    >>> [each.tag for each in parsed("<a x='1'><b/></a>")]
    ['b']
    """
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"text must be a str or bytes, got {type_of(text)}.")
    first: Any = expat.ParserCreate()
    first.StartDoctypeDeclHandler = _refuse
    try:
        first.Parse(text, True)  # noqa: FBT003  # expat takes it by position
        document = fromstring(text)  # noqa: S314  # markup only, since the first parser refuses declarations
    except (expat.ExpatError, ParseError, ValueError, LookupError) as error:  # also for an unknown encoding
        raise ValueError(f"text must be XML, got another text: {error}.") from None
    for element in document.iter():
        element.tag = element.tag.rpartition("}")[2]
    return document


def _refuse(*_: Any) -> None:
    raise ValueError("text must be XML without a document type, got one. Entities could name files, or grow without bound.")
