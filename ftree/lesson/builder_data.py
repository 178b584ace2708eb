"""What the builder's page is given: tables, the policy, names, colours; and a list of all parts that it computes.

`builder_page/table.js` reads the data. Policies with other parts than those of the list are refused by name. To add a part: list
it in `PARTS` with its options, write its function into the table of its kind in `builder_page/`, and draw it in
`tests/lesson/drawn_policies.py`. The tables are `impurities` and `scores` in scores.js, `splitters` in splits.js, `choices` and
`rules` in search.js, `shares` and `splitTypes` in routing.js, and for targets `responses` in responses.js and `faces` in
texts.js. A test compares their names with these lists, and laws compare what they compute with Python.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import evolve
from toolz import concat

from ftree._lib.arrays import TIE, Array, times_and_fractions
from ftree._lib.fields import name_of
from ftree._lib.messages import joined, short_repr
from ftree.criteria.impurity import ROUNDING, gini
from ftree.criteria.impurity_of_sums import variance
from ftree.data.channels import in_parts
from ftree.data.dataset import Dataset
from ftree.data.dataset_fields import unit_of
from ftree.growth.settings import search_settings
from ftree.policy import Policy
from ftree.saving.json_parts import is_part, part_to_plain
from ftree.saving.json_values import options_of
from ftree.saving.save_and_load import to_json
from ftree.show.looks import MeanLooks, colour
from ftree.splitters.cuts import C45_SHARE, SLACK
from ftree.splitters.missing_policies import prediction_rule
from ftree.tree.formats import printable
from ftree.tree.nodes import Leaf, PredictionRule, Tree
from ftree.tree.schema import Schema

# Scores that differ by less than `tie` are equal. A child may have `slack` fewer cases than the minimum. Numbers equal but for
# rounding differ by `rounding`. C4.5's minimum is `c45Share` of the mean class.
_LIMITS = {"tie": TIE, "slack": SLACK, "rounding": ROUNDING, "c45Share": C45_SHARE}


def page_data(table: Dataset, policy: Policy, test: Dataset | None) -> dict[str, Any]:
    """All that the scripts read, but for the trees to compare with.

    - `policy` is that of growth, with the numbers of nominal features of `many` values, which the gain ratio's mean leaves out.
      Growth divides rows without an answer as the rule `divide` does, and prediction by the `rule`.
    - `train` and `test` are tables. In units, as sums count them, a number is (`line[0]` + `line[1]` units) / `line[2]`, and
      parts of cases are multiples of `part`; `line` is null for classes. `response` is the kind of the target.
    - `head` is the JSON of a tree up to its nodes, `words` the names and values, `shades` the colours of classes, or of numbers
      in order.
    """
    schema = table.schema
    response: Any = schema.response
    rule, line = prediction_rule(policy.missing), None if schema.has_classes else response.line
    unit = unit_of(table)
    # A tree of numbers that divides no case in growth divides test rows.
    unit_of_test = unit if test is None or schema.has_classes else unit_of(in_parts(test, divided=True))
    return {
        "head": _head(schema, rule),
        "policy": part_to_plain(with_gini(policy)),
        "words": _words(schema),
        "rule": "all_routes" if rule is None else type(rule).__name__,
        "divide": "heaviest" if hasattr(policy.missing, "shares") else "weighted",
        "keyBits": KEY_BITS,
        "limits": _LIMITS,
        "response": response.kind,
        "line": line,
        "part": getattr(response, "part", 1.0),
        "many": sorted(search_settings(policy, table).many),
        "shades": _shades(schema),
        "train": _table(table, table.target_column if line is None else response.whole(table.target_column), unit),
        "test": None if test is None else _table(test.recoded(schema), None, unit_of_test),
    }


def _head(schema: Schema, rule: PredictionRule | None) -> str:
    """The JSON of any tree of the schema, up to its nodes."""
    leaf = Leaf((1, *[0] * (len(schema.response.channels) - 1)))
    return to_json(Tree(schema, leaf, missing=rule)).rpartition('"nodes":')[0] + '"nodes":'


def _shades(schema: Schema) -> list[str]:
    if schema.has_classes:
        return [colour(number) for number in range(len(schema.classes))]
    looks = MeanLooks(schema.response, 0.0, 1.0)
    return [looks.shade(looks.step(number / 20)) for number in range(21)]


def _words(schema: Schema) -> dict[str, Any]:
    return {
        "target": printable(schema.target),
        "features": [printable(feature.name) for feature in schema.features],
        "kinds": [feature.kind for feature in schema.features],
        "times": [feature.time for feature in schema.features],
        "values": [list(map(printable, feature.values)) for feature in schema.features],
        "classes": list(map(printable, schema.classes)),
    }


def _table(table: Dataset, target: Array | None, unit: float) -> dict[str, Any]:
    """The columns as codes, those of numbers with their distinct values, so that the page sorts no floats."""
    times, fractions = times_and_fractions(table.weights, unit)
    weights = times if fractions is None else fractions
    return {
        "n": len(table),
        "columns": list(map(_column, table.columns)),
        "target": _floats(table.target_column if target is None else target),
        "weights": None if weights is None else _floats(weights),
        "unit": unit,
        "counts": times is not None,
    }


def _column(column: Array) -> dict[str, str | None]:
    if column.dtype.kind != "f":
        return {"codes": _codes(column), "values": None}
    missing = np.isnan(column)
    values, codes = np.unique(np.where(missing, np.nanmin(column) if not missing.all() else 0.0, column), return_inverse=True)
    return {"codes": _codes(np.where(missing, -1, codes)), "values": _floats(values)}


def _codes(codes: Array) -> str:
    size = np.int8 if codes.max(initial=0) <= np.iinfo(np.int8).max else np.dtype("<i2")
    return b64encode(codes.astype(size).tobytes()).decode()


def _floats(numbers: Array) -> str:
    return b64encode(numbers.astype("<f8").tobytes()).decode()


# The page sorts keys of a value's code and a row's place, which have so many bits each (`runOf` in builder_page/rows.js).
KEY_BITS = 15
# So a page can have 32,768 rows. It has fewer, for which all scores of a node are computed within a tenth of a second.
MOST_ROWS = min(20_000, 1 << KEY_BITS)
# Codes are also written as numbers of 16 bits, with -1 for a missing value.
_MOST_VALUES = 1 << KEY_BITS
# The targets that the page knows.
RESPONSES = ("classes", "numbers")
# The parts that the page computes, by their names in JSON, with the options that its scripts read. Other options must have their
# defaults.
PARTS: dict[str, tuple[str, ...]] = {
    "criteria.entropy": (),
    "criteria.gini": (),
    "criteria.misclassification": (),
    "criteria.gain": (),
    "criteria.gain_ratio": (),
    "splitters.multiway": ("empty", "min_cases"),
    "splitters.subset": ("exact", "min_cases"),
    "splitters.threshold": ("min_cases", "mdl", "at"),
    "splitters.c45_min_branch": ("least", "most"),
    "splitters.by_score": (),
    "splitters.by_gain_ratio": ("slack",),
    "stop.pure": (),
    "stop.no_gain": (),
    "stop.min_gain": ("bits",),
    "stop.min_impurity_decrease": ("least", "cases"),
    "stop.max_depth": ("limit",),
    "stop.min_rows": ("n",),
    "stop.min_best_child": ("n",),
    "stop.not_significant": ("alpha",),
    "stop.any_of": ("rules",),
    "stop.all_of": ("rules",),
    "stop.not_": ("rule",),
    "missing.ignore": ("predict",),
    "missing.heaviest": (),
    "missing.all_routes": (),
    "missing.weighted": (),
    "missing.stop_here": (),
}
_OF_POLICY = ["impurity", "score", "splits", "choose", "stop", "missing"]
# These change nothing where no value is missing.
_OF_MISSING = {"missing.surrogates", "missing.as_value", "missing.as_branch"}


def require_computable(policy: Policy, table: Dataset) -> None:
    """Refuse, by name, what the page cannot compute."""
    kind = table.schema.response.kind
    if kind not in RESPONSES:
        raise ValueError(f"dataset must have a target of classes or numbers, got one of {kind}.")
    if max((len(feature.values) for feature in table.schema.features), default=0) >= _MOST_VALUES:
        raise ValueError(f"Features must have fewer than {_MOST_VALUES:,} values, got more. Use merge_rare.")
    for part in _parts_of(with_gini(policy)):
        _check_part(part, with_gaps=bool(table.gaps()))
    _check_options(policy, _OF_POLICY, "the policy")
    kinds = [kind for splitter in policy.splits for kind in getattr(splitter, "kinds", ())]
    if len(kinds) > len(set(kinds)):
        wanted = "one splitter for each kind of features, for a page that a person builds on"
        raise ValueError(f"splits of the policy must be {wanted}, got {short_repr(policy.splits)}.")


def _check_part(part: Any, *, with_gaps: bool) -> None:
    """Refuse a part that the page does not know, unless it changes nothing in a table without gaps."""
    full_name = _name_of_part(part)
    name = full_name.partition(".")[2]
    if full_name in PARTS:
        _check_options(part, PARTS[full_name], name)
    elif full_name not in _OF_MISSING or with_gaps:
        supported = joined((known.partition(".")[2] for known in PARTS), at_most=len(PARTS))
        reason = " with missing values" if full_name in _OF_MISSING else ""
        raise ValueError(f"policy must be made of {supported}, got {name}{reason}.")


def _check_options(part: Any, known: Sequence[str], name: str) -> None:
    """Refuse an option that the page does not know, unless it has its default."""
    for option in options_of(type(part)):
        value = getattr(part, option.name)
        if option.name not in known and value != option.default:
            wanted = f"{short_repr(option.default)}, for a page that a person builds on"
            raise ValueError(f"{option.name} of {name} must be {wanted}, got {short_repr(value)}.")


def _parts_of(policy: Policy) -> Iterator[Any]:
    """All parts of a policy, each before those that its options hold."""
    parts = [policy.impurity, policy.score, *policy.splits, policy.choose, policy.stop, policy.missing]
    while parts:
        part = parts.pop(0)
        yield part
        options = [getattr(part, option.name) for option in options_of(type(part))]
        parts += filter(is_part, concat(each if isinstance(each, tuple) else (each,) for each in options))


def _name_of_part(part: Any) -> str:
    """The name of a part in JSON; one that has none is called as it prints."""
    try:
        return str(part_to_plain(part)["type"])
    except TypeError:
        return f"own.{name_of(part)}"


def with_gini(policy: Policy) -> Policy:
    """The policy that the page gets: of numbers, the impurity is the variance, in whose place stands the Gini index."""
    return evolve(policy, impurity=gini) if policy.impurity == variance else policy
