"""A tree as PMML 4.4: a TreeModel with the counts of each node."""

from itertools import pairwise
from math import inf
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ftree._lib.fields import name_of
from ftree.exchange.checks import plain_labels, plain_values
from ftree.exchange.pmml_predicates import Predicates, xml_text
from ftree.exchange.step_list import Step, Steps, steps
from ftree.routing.all_routes import all_routes
from ftree.routing.rule_names import Missing
from ftree.tree.conditions import Between, OneOf
from ftree.tree.nodes import Tree, majority

# Readers of XML and of PMML use recursion.
DEEPEST = 200
_TYPES = {str: "string", int: "integer", bool: "boolean", float: "double"}


def to_pmml(tree: Tree, *, missing: Missing | None = None) -> str:
    """A tree as the text of a PMML 4.4 document: a TreeModel for classification, each node with its counts.

    Numbers are doubles, times numbers of seconds. A value that the schema lacks is missing. The rule `missing` may be any that
    follows one route, which is written into the order of the children: `heaviest()`, `stop_here()`. `all_routes()` is PMML's
    strategy aggregateNodes, which few programs read, where each split asks one feature and knows all of its values, and each
    leaf has cases. `weighted()` is refused: programs that read its strategy, weightedConfidence, add up the counts of a node's
    children, and not of the leaves below. None is the tree's own rule.

    Raises a TypeError for anything but a Tree. Raises a ValueError for a rule or a tree that PMML cannot express, for more than
    200 splits on a path, for an opaque split, for values and classes other than texts, finite numbers and booleans, and
    for characters that XML does not allow.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))
    >>> print(*[line.strip() for line in to_pmml(tree, missing="heaviest").splitlines() if "Predicate" in line])
    <SimplePredicate field="sky" operator="equal" value="sunny" />
    """
    listed = steps(tree, missing=missing)
    _check_depth(listed)
    if not listed.one_route:
        _check_divided(listed)
    predicates = Predicates(listed.schema, plain_values(listed.schema, listed.used_features))
    root = _nodes(listed, predicates)
    document = Element("PMML", {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"})
    SubElement(SubElement(document, "Header"), "Application", {"name": "ftree"})
    document.append(_dictionary(listed, predicates))
    document.append(_model(listed, predicates, root))
    indent(document)
    return tostring(document, encoding="unicode", xml_declaration=True)


def _check_depth(listed: Steps) -> None:
    if listed.depth > DEEPEST:
        message = (
            f"tree must have at most {DEEPEST} splits on a path to be written in PMML, got {listed.depth}. Use to_python or to_c."
        )
        raise ValueError(message)


def _check_divided(listed: Steps) -> None:
    """Check the limits of PMML, which divides rows where a predicate is unknown, and adds up the counts of the leaves."""
    if type(listed.rule) is not all_routes:
        wanted = "a rule that PMML has: one that follows one route, such as heaviest() or stop_here(), or all_routes()"
        message = f"missing must be {wanted}, got {name_of(listed.rule)}."
        raise ValueError(message)
    values = [feature.values for feature in listed.schema.features]
    if any(step.inherited or (step.children and not _knows_all(step, values)) for step in listed.steps):
        wanted = "splits of one feature that know all of its values, and cases in each leaf, for missing=all_routes() in PMML"
        message = f"tree must have {wanted}, got one without. Use missing='heaviest' or missing='stop_here'."
        raise ValueError(message)


def _knows_all(step: Step, values: list[Any]) -> bool:
    """Whether each known value of the one feature that a step tests passes one of its tests."""
    intervals = sorted((test.above, test.at_most) for test in step.tests if isinstance(test, Between))
    codes = [code for test in step.tests if isinstance(test, OneOf) for code in test.values]
    features = {test.feature for test in step.tests if isinstance(test, (Between, OneOf))}
    if len(features) != 1 or len(intervals) not in {0, len(step.tests)}:
        return False
    known = values[int(next(iter(features)))]
    if not intervals:
        return len(codes) == len(known) and None not in known
    ends = [-inf, *(end for interval in intervals for end in interval), inf]
    return all(one == other for one, other in list(pairwise(ends))[::2])


def _nodes(listed: Steps, predicates: Predicates) -> Element:
    """The nodes, one inside another; a child that gets the rows which pass no test is the last, and always true."""
    made = [_node(listed, step, number) for number, step in enumerate(listed.steps)]
    made[0].insert(0, Element("True"))
    for number, step in enumerate(listed.steps):
        whole = step.routes[0][0] if step.one_route and step.routes else None
        for test, child in zip(step.tests, step.children, strict=True):
            made[child].insert(0, Element("True") if child == whole else predicates.of(test))
        made[number].extend([made[child] for child in step.children if child != whole])
        made[number].extend([] if whole is None else [made[whole]])
    return made[0]


def _node(listed: Steps, step: Step, number: int) -> Element:
    """A node with its score and its counts, if it has cases."""
    label, total = listed.schema.classes[majority(step.counts)], sum(step.counts)
    made = Element("Node", {"id": str(number), "score": xml_text(label), "recordCount": repr(total)})
    if total:
        for each, count in zip(listed.schema.classes, step.counts, strict=True):
            SubElement(made, "ScoreDistribution", {"value": xml_text(each), "recordCount": repr(count)})
    return made


def _dictionary(listed: Steps, predicates: Predicates) -> Element:
    """The fields: features, and the target."""
    labels = plain_labels(listed.schema)
    made = Element("DataDictionary")
    for number, feature in enumerate(listed.schema.features):
        _field(made, predicates.name(number), predicates.values[number], numeric=feature.kind == "numeric")
    _field(made, xml_text(listed.schema.target), labels, numeric=False)
    return made


def _field(dictionary: Element, name: str, values: list[Any] | None, *, numeric: bool) -> None:
    kinds = {type(value) for value in values or () if value is not None}
    data_type = "double" if numeric else _TYPES[kinds.pop()] if len(kinds) == 1 else "string"
    kind = {"optype": "continuous" if numeric else "categorical", "dataType": data_type}
    made = SubElement(dictionary, "DataField", {"name": name, **kind})
    for value in values if values and None not in values else ():  # without a list of values, any value is allowed
        SubElement(made, "Value", {"value": xml_text(value)})


def _model(listed: Steps, predicates: Predicates, root: Element) -> Element:
    strategy = "none" if listed.one_route else "aggregateNodes"
    kinds = {"missingValueStrategy": strategy, "noTrueChildStrategy": "returnLastPrediction", "splitCharacteristic": "multiSplit"}
    made = Element("TreeModel", {"functionName": "classification", **kinds})
    mining = SubElement(made, "MiningSchema")
    for number in range(len(listed.schema.features)):
        SubElement(mining, "MiningField", {"name": predicates.name(number), "invalidValueTreatment": "asMissing"})
    SubElement(mining, "MiningField", {"name": xml_text(listed.schema.target), "usageType": "target"})
    made.append(_output(listed))
    if predicates.sums:
        made.append(_sums(predicates))
    made.append(root)
    return made


def _output(listed: Steps) -> Element:
    """The label, and the probability of each class."""
    made = Element("Output")
    SubElement(made, "OutputField", {"name": "label", "optype": "categorical", "dataType": "string", "feature": "predictedValue"})
    for label in map(xml_text, listed.schema.classes):
        kinds = {"optype": "continuous", "dataType": "double", "feature": "probability", "value": label}
        SubElement(made, "OutputField", {"name": f"probability({label})", **kinds})
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
