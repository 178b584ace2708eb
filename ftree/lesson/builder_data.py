"""The data in the builder's page: tables, the policy, names, colours. `builder_page/table.js` reads them."""

from base64 import b64encode
from typing import Any

import numpy as np

from ftree._lib.arrays import TIE, Array, times_and_fractions
from ftree.criteria.impurity import ROUNDING
from ftree.data.channels import in_parts
from ftree.data.dataset import Dataset
from ftree.data.dataset_fields import unit_of
from ftree.growth.settings import search_settings
from ftree.lesson.builder_policies import KEY_BITS, with_gini
from ftree.policy import Policy
from ftree.saving.json_parts import part_to_plain
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
