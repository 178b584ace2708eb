"""A tree as PMML 4.4: a TreeModel with the class counts, or the mean and the deviation, of each node."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import inf, sqrt
from operator import eq
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from attrs import field, frozen

from ftree._lib.faces import Text
from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr
from ftree.exchange.neutral_form import ExportNode, ExportNodes, export_nodes, unknown_test
from ftree.exchange.plain_values import check_distinct, free_names, known_labels, plain_values
from ftree.routing.missing_rules import MissingRule, all_routes
from ftree.tree.conditions import AllOf, AnyOf, Between, FirstKnown, Missing, Not, OneOf, SumBetween
from ftree.tree.logic import intervals_of, subject_of, without_order
from ftree.tree.nodes import Node, Tree, preorder, tree_of
from ftree.tree.response import majority
from ftree.tree.schema import Schema, by_task, names_of, response_of_sums

# Readers of XML and of PMML use recursion.
_DEEP = 200
_TYPES = {str: "string", int: "integer", bool: "boolean", float: "double"}


def to_pmml(tree: Tree, *, missing: MissingRule | None = None) -> str:
    """A tree as the text of a PMML 4.4 document: a TreeModel for classification, each node with its counts, or for regression.

    Numbers are doubles, times numbers of seconds. A value that the schema lacks is missing. The rule `missing` may be any that
    follows one route, which is written into the order of the children: `heaviest()`, `stop_here()`. `all_routes()` is PMML's
    strategy aggregateNodes, which few programs read, where each split asks one feature and knows all of its values, and each
    leaf has cases. `weighted()` is refused: programs that read its strategy, weightedConfidence, add up the counts of a node's
    children, and not of the leaves below. None is the tree's own rule. A regression tree has a rule of one route; a node's mean
    is its score, and its standard deviation is in a Partition. Linear models are a MiningModel, whose segments are their
    regressions in the order of the leaves. The outputs are `label` and `probability(...)` of each class, or `number`. An output's
    name ends in _ where a feature or the target has the name.

    Raises a TypeError for anything but a Tree. Raises a ValueError for a rule or a tree that PMML cannot express, for more than
    200 splits on a path, for an opaque split, for values and classes other than texts, finite numbers and booleans, for
    values of one text, and for characters that XML does not allow.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))
    >>> print(*[line.strip() for line in to_pmml(tree, missing="heaviest").splitlines() if "Predicate" in line])
    <SimplePredicate field="sky" operator="equal" value="sunny" />
    """
    tree = tree_of(tree)
    listed = export_nodes(tree, missing=missing)
    listed.check_depth(_DEEP, "PMML")
    if not listed.one_route:
        _check_divided(listed)
    predicates = Predicates(listed.schema, plain_values(listed.schema, listed.used_features))
    if listed.regressors:
        model = Element("MiningModel", {"functionName": "regression"}), _segments(listed, predicates)
    else:
        model = _tree_model(listed), _nodes(listed, predicates, list(preorder(tree)))
    document = Element("PMML", {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"})
    SubElement(SubElement(document, "Header"), "Application", {"name": "ftree"})
    document.append(_dictionary(listed, predicates))
    document.append(_model(listed, predicates, *model))
    indent(document)
    return Text(tostring(document, encoding="unicode", xml_declaration=True))


def _check_divided(listed: ExportNodes) -> None:
    """Check the limits of PMML, which divides rows where a predicate is unknown, and adds up the counts of the leaves."""
    of_classes = listed.schema.has_classes
    if type(listed.rule) is not all_routes or not of_classes:
        wanted = f"one that follows one route, such as heaviest() or stop_here(){', or all_routes()' * of_classes}"
        whose = "" if of_classes else f" of {by_task(listed.schema.response.kind)}"
        raise ValueError(f"missing must be a rule that PMML has{whose}: {wanted}, got {name_of(listed.rule)}.")
    values = [feature.values for feature in listed.schema.features]
    if any(node.inherited or (node.children and not _knows_all(node, values)) for node in listed.nodes):
        wanted = "splits of one feature that know all of its values, and cases in each leaf, for missing=all_routes() in PMML"
        raise ValueError(f"tree must have {wanted}, got one without. Use missing='heaviest' or missing='stop_here'.")


def _knows_all(node: ExportNode, values: list[Any]) -> bool:
    """Whether each known value of the one feature that a node tests passes one of its tests."""
    asked = {subject_of(test) for test in node.tests}
    number: Any = next(iter(asked))
    if len(asked) != 1 or not all(isinstance(test, Between | OneOf) for test in node.tests):
        return False
    known = values[number]
    if not known:
        return intervals_of(AnyOf(node.tests)) == [(-inf, inf)]
    return sum(len(test.values) for test in node.tests if isinstance(test, OneOf)) == len(known) and None not in known


@frozen(eq=False)
class Predicates:
    """Writes predicates on the fields of a schema; `sums` are the weighted sums used, which become fields, by number."""

    schema: Schema
    values: list[Any]
    sums: dict[Any, int] = field(factory=dict)
    asked: set[int] = field(factory=set)  # features that are asked whether they are missing: no other value is invalid there

    def of(self, test: Any, *, passes: bool = True) -> Element:
        """The predicate of a test of a node, or of its opposite. PMML has no "not", so opposites are written out."""
        match test:
            case Not(inner):
                written = self.of(inner, passes=not passes)
            case FirstKnown():
                written = self.of(without_order(test), passes=passes)
            case AllOf(tests) | AnyOf(tests):
                operator = "and" if isinstance(test, AllOf) == passes else "or"
                written = _compound(operator, [self.of(each, passes=passes) for each in tests])
            case OneOf(number, codes):
                written = self._among(number, codes, passes=passes)
            case Missing(number):
                written = self._missing(number, passes=passes)
            case Between() | SumBetween():
                written = self._between(test, passes=passes)
            case _:
                raise unknown_test(test, "PMML")
        return written

    def name(self, number: Any) -> str:
        """The name of a feature."""
        return xml_text(self.schema.features[number].name)

    def name_of_sum(self, number: int) -> str:
        """A name for a sum, different from those of all features and of the target."""
        longest = max((*names_of(self.schema.features), self.schema.target), key=len)
        return f"{xml_text(longest)} sum {number}"

    def _among(self, number: Any, codes: Iterable[Any], *, passes: bool) -> Element:
        """The value is one of several, or missing, if None is one of them."""
        listed = [self.values[number][code] for code in codes]
        known = [_simple(self.name(number), "equal" if passes else "notEqual", each) for each in listed if each is not None]
        if passes:
            return _compound("or", known + [_simple(self.name(number), "isMissing")] * (None in listed))
        if None in listed:
            return _compound("and", [_simple(self.name(number), "isNotMissing"), *known])
        return _compound("or", [_simple(self.name(number), "isMissing"), _compound("and", known)])

    def _missing(self, number: Any, *, passes: bool) -> Element:
        """The value is missing, which never holds where None is a value of its own."""
        values = self.values[number]
        if values and None in values:
            return _compound("or" if passes else "and", [])
        if values:
            self.asked.add(number)
        return _simple(self.name(number), "isMissing" if passes else "isNotMissing")

    def _between(self, test: Between | SumBetween, *, passes: bool) -> Element:
        name = self.name(test.feature) if isinstance(test, Between) else self.name_of_sum(self._number_of(test))
        above, at_most = ("greaterThan", "lessOrEqual") if passes else ("lessOrEqual", "greaterThan")
        ends = [_simple(name, above, test.above)] * (test.above > -inf)
        ends += [_simple(name, at_most, test.at_most)] * (test.at_most < inf)
        if passes:
            return _compound("and", ends or [_simple(name, "isNotMissing")])
        return _compound("or", [_simple(name, "isMissing"), *ends])

    def _number_of(self, test: SumBetween) -> int:
        return self.sums.setdefault(subject_of(test), len(self.sums))


def _nodes(listed: ExportNodes, predicates: Predicates, sources: Sequence[Node]) -> Element:
    """The nodes, one inside another; a child that gets the rows which pass no test is the last, and always true."""
    write = _node if listed.quotient is None else _regression_node
    made = [write(listed, node, number, sources[number]) for number, node in enumerate(listed.nodes)]
    made[0].insert(0, Element("True"))
    for number, node in enumerate(listed.nodes):
        onward = node.onward
        for test, child in zip(node.tests, node.children, strict=True):
            made[child].insert(0, Element("True") if child == onward else predicates.of(test))
        made[number].extend([made[child] for child in sorted(node.children, key=partial(eq, onward))])
    return made[0]


def _node(listed: ExportNodes, node: ExportNode, number: int, _: Node) -> Element:
    """A node with its score and its counts, if it has cases."""
    classes, total = listed.schema.classes, sum(node.counts)
    made = Element("Node", {"id": str(number), "score": xml_text(classes[majority(node.counts)]), "recordCount": repr(total)})
    if total:
        for each, count in zip(classes, node.counts, strict=True):
            SubElement(made, "ScoreDistribution", {"value": xml_text(each), "recordCount": repr(count)})
    return made


def _regression_node(listed: ExportNodes, node: ExportNode, number: int, source: Node) -> Element:
    """A node with its mean or rate as its score, and the standard deviation of its numbers."""
    quotient: Any = listed.quotient
    cases, mean, response = source.counts[0], quotient.answer(node.counts), response_of_sums(listed.schema)
    made = Element("Node", {"id": str(number), "score": repr(mean), "recordCount": repr(cases)})
    if cases and response.kind == "numbers":
        stats = {"mean": repr(mean), "standardDeviation": repr(sqrt(response.risk(source.counts) / cases))}
        own = SubElement(
            SubElement(made, "Partition", {"name": str(number)}), "PartitionFieldStats", {"field": xml_text(listed.schema.target)}
        )
        SubElement(own, "NumericInfo", stats)
    return made


def _segments(listed: ExportNodes, predicates: Predicates) -> Element:
    """Models of the nodes where rows end, each after one for rows that have all regressors; the first that fits answers a row."""
    made = Element("Segmentation", {"multipleModelMethod": "selectFirst"})
    known = [Not(Missing(each)) for each in listed.regressors]
    for node, tests in _ends(listed):
        _, constant, *weights, otherwise = node.counts
        for asked, intercept, used in (([*tests, *known], constant, listed.regressors), (tests, otherwise, ())):
            segment = SubElement(made, "Segment", {"id": str(len(made))})
            segment.append(_compound("and", [predicates.of(test) for test in asked]))
            model = SubElement(segment, "RegressionModel", {"functionName": "regression"})
            model.append(_mining_schema(listed, predicates, used))
            table = SubElement(model, "RegressionTable", {"intercept": repr(intercept)})
            for number, weight in zip(used, weights, strict=False):
                SubElement(table, "NumericPredictor", {"name": predicates.name(number), "coefficient": repr(weight)})
    return made


def _ends(listed: ExportNodes) -> Iterator[tuple[ExportNode, list[Any]]]:
    """The nodes where rows end with tests on the paths there; a row ends at the first whose tests it passes.

    The step that takes the rows which pass no test has the whole share, and needs no test behind the other steps.
    """
    paths = listed.paths()
    for number in sorted(paths, key=lambda end: [(step.share, step.place) for step in paths[end]]):
        yield listed.nodes[number], [listed.nodes[step.node].tests[step.place] for step in paths[number] if not step.share]


def _dictionary(listed: ExportNodes, predicates: Predicates) -> Element:
    """The fields: features, and the target."""
    labels = known_labels(listed.schema, "PMML")
    made = Element("DataDictionary")
    for number, feature in enumerate(listed.schema.features):
        values, every = predicates.values[number], number not in predicates.asked
        _field(made, predicates.name(number), values, numeric=feature.kind == "numeric", every=every)
    _field(made, xml_text(listed.schema.target), labels or None, numeric=not listed.schema.has_classes)
    return made


def _field(dictionary: Element, name: str, values: list[Any] | None, *, numeric: bool, every: bool = True) -> None:
    """A field, and its values if these are `every` one that is valid."""
    kinds = {type(value) for value in values or () if value is not None}
    data_type = "double" if numeric else _TYPES[kinds.pop()] if len(kinds) == 1 else "string"
    kind = {"optype": "continuous" if numeric else "categorical", "dataType": data_type}
    made = SubElement(dictionary, "DataField", {"name": name, **kind})
    check_distinct(f"Values of {name!r}", [xml_text(value) for value in values or () if value is not None])
    for value in values if values and every and None not in values else ():  # without a list of values, any value is allowed
        SubElement(made, "Value", {"value": xml_text(value)})


def _tree_model(listed: ExportNodes) -> Element:
    strategy = "none" if listed.one_route else "aggregateNodes"
    kinds = {"missingValueStrategy": strategy, "noTrueChildStrategy": "returnLastPrediction", "splitCharacteristic": "multiSplit"}
    function = "classification" if listed.schema.has_classes else "regression"
    return Element("TreeModel", {"functionName": function, **kinds})


def _model(listed: ExportNodes, predicates: Predicates, made: Element, nodes: Element) -> Element:
    """The model with its fields, its outputs and its nodes."""
    made.extend([_mining_schema(listed, predicates, range(len(listed.schema.features))), _output(listed)])
    if predicates.sums:
        made.append(_sums(predicates))
    made.append(nodes)
    return made


def _mining_schema(listed: ExportNodes, predicates: Predicates, features: Iterable[int]) -> Element:
    """The fields that a model uses, and the target."""
    made = Element("MiningSchema")
    for number in features:
        SubElement(made, "MiningField", {"name": predicates.name(number), "invalidValueTreatment": "asMissing"})
    SubElement(made, "MiningField", {"name": xml_text(listed.schema.target), "usageType": "target"})
    return made


def _output(listed: ExportNodes) -> Element:
    """The label, and the probability of each class; or the number. No name is that of a data field."""
    made = Element("Output")
    name, *kinds = ("label", "categorical", "string") if listed.schema.has_classes else ("number", "continuous", "double")
    labels = list(map(xml_text, listed.schema.classes))
    taken = (*names_of(listed.schema.features), listed.schema.target)
    answer, *probabilities = free_names(taken, name, *[f"probability({label})" for label in labels])
    kind = dict(zip(("optype", "dataType"), kinds, strict=True))
    SubElement(made, "OutputField", {"name": answer, **kind, "feature": "predictedValue"})
    for probability, label in zip(probabilities, labels, strict=True):
        kind = {"optype": "continuous", "dataType": "double", "feature": "probability", "value": label}
        SubElement(made, "OutputField", {"name": probability, **kind})
    return made


def _sums(predicates: Predicates) -> Element:
    """Weighted sums as fields, added up from left to right."""
    made = Element("LocalTransformations")
    for number, (features, weights) in enumerate(predicates.sums):
        first, *others = [_product(predicates.name(feature), weight) for feature, weight in zip(features, weights, strict=True)]
        for term in others:
            added = Element("Apply", {"function": "+"})
            added.extend([first, term])
            first = added
        own = {"name": predicates.name_of_sum(number), "optype": "continuous", "dataType": "double"}
        SubElement(made, "DerivedField", own).append(first)
    return made


def _product(name: str, weight: float) -> Element:
    made = Element("Apply", {"function": "*"})
    SubElement(made, "Constant", {"dataType": "double"}).text = repr(weight)
    SubElement(made, "FieldRef", {"field": name})
    return made


# Characters that XML does not allow.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(value: Any) -> str:
    """A value as text in XML; booleans as PMML writes them.

    Raises a ValueError for characters that XML does not allow.

    >>> xml_text(True), xml_text(0.5), xml_text("größe")
    ('true', '0.5', 'größe')
    """
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if _NOT_IN_XML.search(text):
        raise ValueError(f"A text must have only XML characters to be written in PMML, got {short_repr(text)}.")
    return text


def _simple(name: str, operator: str, value: Any = None) -> Element:
    given = {} if value is None else {"value": xml_text(value)}
    return Element("SimplePredicate", {"field": name, "operator": operator, **given})


def _compound(operator: str, parts: list[Element]) -> Element:
    """All or one of several predicates; a compound predicate of PMML has at least two."""
    if not parts:
        return Element("True" if operator == "and" else "False")
    if len(parts) == 1:
        return parts[0]
    made = Element("CompoundPredicate", {"booleanOperator": operator})
    made.extend(parts)
    return made
