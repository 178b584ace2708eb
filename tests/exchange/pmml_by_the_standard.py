"""PMML's TreeModel as the standard words it, read from the document alone: what no evaluator at hand does for all strategies."""

from operator import and_, eq, ge, gt, le, lt, ne, or_
from xml.etree import ElementTree as ET

PMML = "{http://www.dmg.org/PMML-4_4}"
NUMBERS = {"greaterThan": gt, "greaterOrEqual": ge, "lessThan": lt, "lessOrEqual": le}
TEXTS = {"equal": eq, "notEqual": ne}


class Document:
    """One document, whose fields are numbers or texts."""

    def __init__(self, text):
        root = ET.fromstring(text)  # noqa: S314  # made by a test
        self.classes = [each.get("value") for each in root.findall(f"{PMML}DataDictionary/{PMML}DataField")[-1]]
        self.values = {
            field.get("name"): {each.get("value") for each in field} for field in root.iter(f"{PMML}DataField") if len(field)
        }
        self.model = root.find(f"{PMML}TreeModel")
        self.segments = root.findall(f".//{PMML}Segment")
        self.as_is = {each.get("name") for each in root.iter(f"{PMML}MiningField") if each.get("invalidValueTreatment") == "asIs"}

    def counts(self, row):
        """The counts of all leaves that a row reaches by aggregateNodes, added up by class."""
        assert self.model.get("missingValueStrategy") == "aggregateNodes"
        ends = self._ends(self.model.find(f"{PMML}Node"), self._known(row))
        return [sum(_count(node, label) for node in ends) for label in self.classes]

    def number_of_class(self, row):
        """The number of the label of a row by the strategy none."""
        return {label: number for number, label in enumerate(self.classes)}[self.score(row)]

    def score(self, row):
        """The score of a row by the strategy none: the first child that is true is followed."""
        assert self.model.get("missingValueStrategy") == "none"
        known, node = self._known(row), self.model.find(f"{PMML}Node")
        while (child := next((each for each in node.findall(f"{PMML}Node") if _holds(each[0], known)), None)) is not None:
            node = child
        return node.get("score")

    def number(self, row):
        """The number of a row by the first segment that is true, a regression on numbers."""
        known = self._known(row)
        model = next(each[1] for each in self.segments if _holds(each[0], known))
        terms = [float(each.get("coefficient")) * known[each.get("name")] for each in model.iter(f"{PMML}NumericPredictor")]
        return float(model.find(f"{PMML}RegressionTable").get("intercept")) + sum(terms)

    def _known(self, row):
        valid = {name: {cell} if name in self.as_is else self.values.get(name, {cell}) for name, cell in row.items()}
        return {name: cell for name, cell in row.items() if cell is not None and cell in valid[name]}

    def _ends(self, node, row):
        """The first child that is true; the unknown ones where none is; and the node itself where all are false."""
        kids = [(child, _holds(child[0], row)) for child in node.findall(f"{PMML}Node")]
        certain = [child for child, answer in kids if answer is True][:1]
        followed = certain or [child for child, answer in kids if answer is None]
        return [end for child in followed for end in self._ends(child, row)] if followed else [node]


def _count(node, label):
    found = [float(each.get("recordCount")) for each in node.findall(f"{PMML}ScoreDistribution") if each.get("value") == label]
    return sum(found)


def _holds(predicate, row):
    """True, False, or None for unknown."""
    kind = predicate.tag.removeprefix(PMML)
    if kind in ("True", "False"):
        return kind == "True"
    if kind == "CompoundPredicate":
        parts = [_holds(each, row) for each in predicate]
        return _compound(predicate.get("booleanOperator"), parts)
    name, operator, value = (predicate.get(each) for each in ("field", "operator", "value"))
    if operator in ("isMissing", "isNotMissing"):
        return (name not in row) == (operator == "isMissing")
    if name not in row:
        return None
    return NUMBERS[operator](row[name], float(value)) if operator in NUMBERS else TEXTS[operator](row[name], value)


def _compound(operator, parts):
    """And, or, with one unknown part deciding only where the known ones do not."""
    decides, join = (False, and_) if operator == "and" else (True, or_)
    if decides in parts:
        return decides
    if None in parts:
        return None
    answer = parts[0]
    for part in parts[1:]:
        answer = join(answer, part)
    return answer
