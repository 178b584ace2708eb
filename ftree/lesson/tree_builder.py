"""A page on which a person builds a tree by hand, and the same page as a contest with the machine.

The page carries the table, and computes scores, counts and trees itself, in `builder_trees.js`; `builder.js` draws them. Laws
hold it equal to `scores`, `grow` and passes of `ftree.prune`.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import sqrt
from string import Template
from typing import Any

import numpy as np
from attrs import evolve
from toolz import concat

from ftree._lib.arrays import TIE, Array, times_and_fractions
from ftree._lib.fields import name_of, require_whole_number
from ftree._lib.messages import joined, short_repr, type_of
from ftree.criteria.impurity import ROUNDING, gini
from ftree.criteria.impurity_of_sums import variance
from ftree.data.cases import unit_of
from ftree.data.channels import in_parts
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.given_table import prepared_dataset
from ftree.growth.growing import grow
from ftree.growth.settings import search_settings
from ftree.policy import ID3, Policy
from ftree.routing.predict import predict
from ftree.routing.scoring import accuracy
from ftree.saving.json_parts import is_part, part_to_plain
from ftree.saving.json_values import options_of
from ftree.saving.save_and_load import to_json
from ftree.show.html_page import asset, framed_page, legend
from ftree.show.looks import MeanLooks, colour
from ftree.show.pictures import Document
from ftree.splitters.cuts import C45_SHARE, SLACK
from ftree.splitters.missing_policies import prediction_rule
from ftree.stop import max_leaves
from ftree.tree.fold import n_leaves
from ftree.tree.formats import printable
from ftree.tree.nodes import Leaf, PredictionRule, Tree, check_tree
from ftree.tree.schema import Schema

# The page sorts keys of a value's code and a row's place, which have so many bits each (`runOf` in builder_trees.js).
_KEY_BITS = 15
# So a page can have 32,768 rows. It has fewer, for which all scores of a node are computed within a tenth of a second.
_MOST_ROWS = min(20_000, 1 << _KEY_BITS)
_SEED = 0
# Scores that differ by less than `tie` are equal. A child may have `slack` fewer cases than the minimum. Numbers equal but for
# rounding differ by `rounding`. C4.5's minimum is `c45Share` of the mean class.
_LIMITS = {"tie": TIE, "slack": SLACK, "rounding": ROUNDING, "c45Share": C45_SHARE}
# Codes are also written as numbers of 16 bits, with -1 for a missing value.
_MOST_VALUES = 1 << _KEY_BITS


def builder(
    dataset: Dataset, policy: Policy = ID3, *, test: Dataset | None = None, against: Mapping[str, Tree] | None = None
) -> Document:
    """A page on which a person builds a tree: `builder(dataset).save("builder.html")`. It needs no network and no other file.

    At each node stand the best split of every feature with its score and p-value, as `scores` sorts them, and the scores of all
    cuts of a numeric feature. A person takes any of them, goes back, cuts, prunes along the cost-complexity path or by the
    errors on the `test` rows, or lets the policy finish a branch.

    The page compares the tree with that of `grow`, and with the trees of `against` by their names, such as
    `{"optimal": optimal(dataset, max_depth=2).tree}`: leaves, and on both tables the accuracy, or the root of the mean squared
    error of numbers.

    "Copy" writes the tree as JSON, which `from_json` reads. Growth gives an equal tree from these splits:
    `grow(dataset, evolve(policy, stop=always), start=tree) == tree`.

    The page has up to 20,000 rows. Of a longer table it has `dataset.shuffle(seed=0).head(20_000)`, and says so.

    The page computes policies of `entropy`, `gini`, `misclassification`, or the variance of numbers; `gain`, `gain_ratio`;
    `multiway`, `subset`, `threshold` without bins; `by_score`, `by_gain_ratio`; and of most stopping rules. So it has `ID3`,
    `C45`, and, if no value is missing, `CART`.

    Raises a TypeError for arguments of other types. Raises a ValueError for a policy with another part, for missing values that
    the policy does not divide by `ignore` or `heaviest`, for a target that is neither classes nor numbers, and for a class that
    the dataset lacks; a KeyError for a feature that `test` lacks.

    Source: the interactive tree builder of Orange 2 (Demšar et al. 2013).

    >>> from ftree.datasets import weather
    >>> page = builder(weather())
    >>> "finish-all" in page.text, page.format
    (True, 'html')
    """
    return _page(dataset, policy, test, {} if against is None else against, budget=None)


def challenge(dataset: Dataset, policy: Policy = ID3, *, leaves: int, test: Dataset) -> Document:
    """The page of `builder` as a contest with the machine: a tree of at most so many leaves, tested on rows that are not shown.

    The machine's tree is that of the policy, grown best-first to as many leaves. The accuracy on the `test` rows is shown when a
    person hands in a tree. The page contains these rows, so a reader of its source can find them.

    Raises the errors of `builder`, and a ValueError for fewer than two leaves.

    >>> from ftree.datasets import monks
    >>> page = challenge(monks(1, part="train"), leaves=8, test=monks(1, part="test"))
    >>> '"budget": 8' in page.text
    True
    """
    require_whole_number("leaves", leaves, 2)
    require_dataset(test, "test")
    return _page(dataset, policy, test, {}, budget=leaves)


def _page(dataset: Dataset, policy: Policy, test: Dataset | None, against: Mapping[str, Tree], *, budget: int | None) -> Document:
    require_dataset(dataset)
    table, _ = prepared_dataset(_at_most(dataset), policy)
    _check(policy, table)
    seen = None
    if test is not None:
        require_dataset(test, "test")
        seen = _at_most(test)
    machine = grow(table, policy if budget is None else policy.stopping(max_leaves(budget)))
    others = [_figures(name, tree, table, seen) for name, tree in {"the machine": machine, **_trees(against)}.items()]
    given = _given(table, policy, seen) | {"others": others, "budget": budget}
    return Document(_html(given, table.schema, _notes(dataset, test)), "html")


def _html(given: dict[str, Any], schema: Schema, notes: str) -> str:
    """The page: its frame, the data, and the script that fills it."""
    modes = {"challenge": given["budget"] is not None, "untested": given["test"] is None, "numbers": not schema.has_classes}
    title = printable(schema.target)
    body = Template(asset("builder.html", "ftree.lesson")).substitute(
        modes=" ".join(mode for mode, holds in modes.items() if holds),
        title=escape(title),
        legend=legend(zip(given["shades"], schema.classes, strict=False)) if schema.has_classes else "",
        figure="Accuracy" if schema.has_classes else "Root of the mean squared error",
        notes=escape(notes),
    )
    data = json.dumps(given).replace("<", "\\u003c")
    script = asset("builder_trees.js", "ftree.lesson") + asset("builder.js", "ftree.lesson")
    style = asset("page.css") + asset("builder.css", "ftree.lesson")
    return framed_page(title, [body, f'<script type="application/json" id="given">{data}</script>'], script=script, style=style)


def _at_most(dataset: Dataset) -> Dataset:
    return dataset if len(dataset) <= _MOST_ROWS else dataset.shuffle(seed=_SEED).head(_MOST_ROWS)


def _notes(dataset: Dataset, test: Dataset | None) -> str:
    """What the page says of tables that it has only a sample of."""
    tables = {"training": dataset, "test": test}
    return " ".join(
        f"A sample of {_MOST_ROWS:,} of the {len(table):,} {name} rows: shuffle(seed={_SEED}).head({_MOST_ROWS:_})."
        for name, table in tables.items()
        if table is not None and len(table) > _MOST_ROWS
    )


def _trees(against: Any) -> dict[str, Tree]:
    if not isinstance(against, Mapping):
        raise TypeError(f'against must be trees by their names, such as {{"optimal": tree}}, got {type_of(against)}.')
    for tree in against.values():
        check_tree(tree)
    return {printable(name): tree for name, tree in against.items()}


# What the page can compute.

# By package, the parts that the page computes, with the options that builder_trees.js reads; others must have their defaults.
_PARTS = {
    "criteria": {"entropy": "", "gini": "", "misclassification": "", "gain": "", "gain_ratio": ""},
    "splitters": {
        "multiway": "empty min_cases",
        "subset": "exact min_cases",
        "threshold": "min_cases mdl at",
        "c45_min_branch": "least most",
        "by_score": "",
        "by_gain_ratio": "slack",
    },
    "stop": {
        "pure": "",
        "no_gain": "",
        "min_gain": "bits",
        "min_impurity_decrease": "least cases",
        "max_depth": "limit",
        "min_rows": "n",
        "min_best_child": "n",
        "not_significant": "alpha",
        "any_of": "rules",
        "all_of": "rules",
        "not_": "rule",
    },
    "missing": {"ignore": "predict", "heaviest": "", "all_routes": "", "weighted": "", "stop_here": ""},
}
_OPTIONS = {f"{package}.{name}": options.split() for package, parts in _PARTS.items() for name, options in parts.items()}
_OF_POLICY = ["impurity", "score", "splits", "choose", "stop", "missing"]
# These change nothing where no value is missing.
_OF_MISSING = {"missing.surrogates", "missing.as_value", "missing.as_branch"}


def _check(policy: Policy, table: Dataset) -> None:
    """Refuse, by name, what the page cannot compute."""
    kind = table.schema.response.kind
    if kind not in ("classes", "numbers"):
        raise ValueError(f"dataset must have a target of classes or numbers, got one of {kind}.")
    if max((len(feature.values) for feature in table.schema.features), default=0) >= _MOST_VALUES:
        raise ValueError(f"Features must have fewer than {_MOST_VALUES:,} values, got more. Use merge_rare.")
    for part in _parts_of(_with_gini(policy)):
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
    if full_name in _OPTIONS:
        _check_options(part, _OPTIONS[full_name], name)
    elif full_name not in _OF_MISSING or with_gaps:
        supported = joined(concat(_PARTS.values()), at_most=len(_OPTIONS))
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


def _with_gini(policy: Policy) -> Policy:
    """The policy that the page gets: of numbers, the impurity is the variance, in whose place stands the Gini index."""
    return evolve(policy, impurity=gini) if policy.impurity == variance else policy


# The data of the page.


def _given(table: Dataset, policy: Policy, test: Dataset | None) -> dict[str, Any]:
    """All that the scripts read, but for the trees to compare with.

    - `policy` is that of growth, with the numbers of nominal features of `many` values, which the gain ratio's mean leaves out.
      Growth divides rows without an answer as the rule `divide` does, and prediction by the `rule`.
    - `train` and `test` are tables. In units, as sums count them, a number is (`line[0]` + `line[1]` units) / `line[2]`, and
      parts of cases are multiples of `part`; `line` is null for classes.
    - `head` is the JSON of a tree up to its nodes, `words` the names and values, `shades` the colours of classes, or of numbers
      in order.
    """
    schema = table.schema
    response: Any = schema.response
    rule, line = prediction_rule(policy.missing), None if schema.has_classes else response.line
    return {
        "head": _head(schema, rule),
        "policy": part_to_plain(_with_gini(policy)),
        "words": _words(schema),
        "rule": "all_routes" if rule is None else type(rule).__name__,
        "divide": "heaviest" if hasattr(policy.missing, "shares") else "weighted",
        "keyBits": _KEY_BITS,
        "limits": _LIMITS,
        "line": line,
        "part": getattr(response, "part", 1.0),
        "many": sorted(search_settings(policy, table).many),
        "shades": _shades(schema),
        "train": _table(table, table.target_column if line is None else response.whole(table.target_column), unit_of(table)),
        "test": None if test is None else _table(test.recoded(schema), None, _unit_of_test(test, table)),
    }


def _head(schema: Schema, rule: PredictionRule | None) -> str:
    """The JSON of any tree of the schema, up to its nodes."""
    leaf = Leaf((1, *[0] * (len(schema.response.channels) - 1)))
    return to_json(Tree(schema, leaf, missing=rule)).rpartition('"nodes":')[0] + '"nodes":'


def _unit_of_test(test: Dataset, table: Dataset) -> float:
    """The unit in which test rows are divided: a tree of numbers that divides no case in growth divides rows that are counted."""
    return unit_of(table) if table.schema.has_classes else unit_of(in_parts(test, divided=True))


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


def _figures(name: str, tree: Tree, table: Dataset, test: Dataset | None) -> list[Any]:
    """A line of the page's comparison: name, leaves, and the figure on each table."""
    return [name, n_leaves(tree), _figure(tree, table), None if test is None else _figure(tree, test)]


def _figure(tree: Tree, table: Dataset) -> float:
    """The accuracy of a tree, or the root of its mean squared error."""
    if tree.schema.has_classes:
        return float(accuracy(tree, table))
    return sqrt(float(np.average((predict(tree, table) - table.target_column) ** 2, weights=table.weights)))
