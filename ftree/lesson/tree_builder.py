"""A page on which a person builds a tree by hand, and the same page as a contest with the machine.

The page carries the table, and computes scores, counts and trees itself, in `builder.js`. Laws hold it equal to `scores`,
`grow` and passes of `ftree.prune`.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from html import escape
from math import sqrt
from string import Template
from typing import Any

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array, times_and_fractions
from ftree._lib.fields import name_of, require_whole_number
from ftree._lib.messages import joined, type_of
from ftree.criteria.impurity import gini
from ftree.criteria.impurity_of_sums import variance
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.divided_cases import unit_of
from ftree.growth.given_table import prepared_dataset
from ftree.growth.growing import grow
from ftree.growth.settings import search_settings
from ftree.policy import ID3, Policy
from ftree.routing.predict import predict
from ftree.routing.scoring import accuracy
from ftree.saving.json_parts import part_to_plain
from ftree.saving.save_and_load import to_json
from ftree.show.html_page import asset, framed_page, legend
from ftree.show.looks import MeanLooks, colour
from ftree.show.pictures import Document
from ftree.splitters.missing_policies import prediction_rule
from ftree.stop import max_leaves
from ftree.tree.fold import n_leaves
from ftree.tree.formats import printable
from ftree.tree.nodes import Leaf, Tree, check_tree
from ftree.tree.schema import Schema

# The most rows of a page: all scores of a node are computed within a tenth of a second.
_MOST_ROWS = 20_000
_SEED = 0
# Codes of values are numbers of 16 bits.
_MOST_VALUES = 1 << 15


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
    given = _given(table, policy, seen)
    given["others"] = [_figures(name, tree, table, seen) for name, tree in {"the machine": machine, **_trees(against)}.items()]
    given["budget"] = budget
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
    script, style = asset("builder.js", "ftree.lesson"), asset("page.css") + asset("builder.css", "ftree.lesson")
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

_PARTS = {
    "criteria": "entropy gini misclassification gain gain_ratio",
    "splitters": "multiway subset threshold c45_min_branch by_score by_gain_ratio",
    "stop": "pure no_gain min_gain min_impurity_decrease max_depth min_rows min_best_child not_significant",
    "missing": "ignore heaviest all_routes weighted stop_here",
}
_COMBINED = {"stop.any_of", "stop.all_of", "stop.not_"}
# These change nothing where no value is missing.
_OF_MISSING = {"missing.surrogates", "missing.as_value", "missing.as_branch"}


def _check(policy: Policy, table: Dataset) -> None:
    """Refuse, by name, what the page cannot compute."""
    kind = table.schema.response.kind
    if kind not in ("classes", "numbers"):
        raise ValueError(f"dataset must have a target of classes or numbers, got one of {kind}.")
    if max((len(feature.values) for feature in table.schema.features), default=0) >= _MOST_VALUES:
        raise ValueError(f"Features must have fewer than {_MOST_VALUES:,} values, got more. Use merge_rare.")
    known = {f"{package}.{name}" for package, names in _PARTS.items() for name in names.split()} | _COMBINED
    supported = joined(" ".join(_PARTS.values()).split(), at_most=len(known))
    for name in _parts_of(policy):
        if name not in known | (set() if table.gaps() else _OF_MISSING):
            reason = " with missing values" if name in _OF_MISSING else ""
            raise ValueError(f"policy must be made of {supported}, got {name.partition('.')[2]}{reason}.")
    for name, right in {"priors": policy.priors is None, "costs": policy.costs is None, "splits": _is_one_each(policy)}.items():
        if not right:
            wanted = "one splitter for each kind of features, without bins" if name == "splits" else "None"
            raise ValueError(f"{name} of the policy must be {wanted}, for a page that a person builds on.")


def _is_one_each(policy: Policy) -> bool:
    kinds = [kind for splitter in policy.splits for kind in getattr(splitter, "kinds", ())]
    return len(kinds) == len(set(kinds)) and all(getattr(splitter, "bins", None) is None for splitter in policy.splits)


def _parts_of(policy: Policy) -> Iterator[str]:
    """The names of all parts; a part that has none in JSON is called as it prints."""
    for part in (policy.impurity, policy.score, *policy.splits, policy.choose, policy.stop, policy.missing):
        try:
            yield from _names_in(part_to_plain(gini if part == variance else part))
        except TypeError:
            yield f"own.{name_of(part)}"


def _plain(policy: Policy) -> Any:
    """The policy as its JSON. Of numbers, the impurity is the variance, which stands in place of the Gini index."""
    return part_to_plain(evolve(policy, impurity=gini) if policy.impurity == variance else policy)


def _names_in(plain: Any) -> Iterator[str]:
    """The names of all parts in a policy's JSON."""
    if isinstance(plain, dict):
        yield plain["type"]
    for inner in plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ():
        yield from _names_in(inner)


# The data of the page.


def _given(table: Dataset, policy: Policy, test: Dataset | None) -> dict[str, Any]:
    """All that the script reads: the policy, the tables in codes, and texts."""
    schema, settings = table.schema, search_settings(policy, table)
    response: Any = schema.response
    leaf = Leaf((1, *[0] * (len(response.channels) - 1)))
    rule = prediction_rule(policy.missing)
    head = to_json(Tree(schema, leaf, missing=rule)).rpartition('"nodes":')[0] + '"nodes":'
    line = None if schema.has_classes else response.line
    target = table.target_column if line is None else response.whole(table.target_column)
    return {
        "head": head,
        "policy": _plain(policy),
        "words": _words(schema),
        "rule": "all_routes" if rule is None else type(rule).__name__,
        "divide": "heaviest" if hasattr(policy.missing, "shares") else "weighted",
        "unit": unit_of(table),
        "line": line,
        "part": getattr(response, "part", 1.0),
        "many": sorted(settings.many),
        "shades": [colour(number) for number in range(len(schema.classes))] if line is None else _shades(response),
        "train": _table(table, target, unit_of(table)),
        "test": None if test is None else _table(test.recoded(schema), None, unit_of(table)),
    }


def _shades(response: Any) -> list[str]:
    looks = MeanLooks(response, 0.0, 1.0)
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
