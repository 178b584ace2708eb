"""A page on which a person builds a tree by hand, and the same page as a contest with the machine.

The page carries the table (`builder_data.py`), and computes scores, counts and trees itself, for the policies that
`builder_policies.py` lists. Its scripts stand in `builder_page/`, one chapter a file, and become one script here. Each says which
names of others it needs; those of later chapters only in functions, since they have no value yet while it is loaded. The map of
the package lists what each of their functions does in Python, and a law holds both equal.
"""

import json
from collections.abc import Mapping
from html import escape
from math import sqrt
from string import Template
from typing import Any

import numpy as np

from ftree._lib.fields import require_whole_number
from ftree._lib.messages import type_of
from ftree.data.dataset import Dataset, require_dataset, require_weight
from ftree.growth.given_table import prepared_dataset
from ftree.growth.growing import grow
from ftree.lesson.builder_data import page_data
from ftree.lesson.builder_policies import MOST_ROWS, require_computable
from ftree.policy import ID3, Policy
from ftree.routing.predict import predict
from ftree.routing.scoring import accuracy
from ftree.show.html_page import asset, framed_page, legend
from ftree.show.pictures import Document
from ftree.stop import max_leaves
from ftree.tree.fold import n_leaves
from ftree.tree.formats import printable
from ftree.tree.nodes import Tree, check_tree
from ftree.tree.schema import Schema

_SEED = 0
# The chapters of the script that compute, in the order in which they are loaded; and those that draw the page.
COMPUTES = "table", "responses", "rows", "scores", "splits", "search", "routing", "trees", "pruning", "texts"
DRAWS = "state", "elements", "outline", "cuts", "node", "drawing", "events"


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
    require_computable(policy, table)
    seen = None
    if test is not None:
        require_dataset(test, "test")
        seen = _at_most(test)
    machine = grow(table, policy if budget is None else policy.stopping(max_leaves(budget)))
    others = [_figures(name, tree, table, seen) for name, tree in {"the machine": machine, **_trees(against)}.items()]
    given = page_data(table, policy, seen) | {"others": others, "budget": budget}
    return Document(_html(given, table.schema, _notes(dataset, test)), "html")


def _html(given: dict[str, Any], schema: Schema, notes: str) -> str:
    """The page: its frame, the data, and the script that fills it."""
    modes = {"challenge": given["budget"] is not None, "untested": given["test"] is None, "numbers": not schema.has_classes}
    title = printable(schema.target)
    body = Template(_page_file("builder.html")).substitute(
        modes=" ".join(mode for mode, holds in modes.items() if holds),
        title=escape(title),
        legend=legend(zip(given["shades"], schema.classes, strict=False)) if schema.has_classes else "",
        figure="Accuracy" if schema.has_classes else "Root of the mean squared error",
        notes=escape(notes),
    )
    data = json.dumps(given).replace("<", "\\u003c")
    script, style = joined_scripts(*COMPUTES, *DRAWS), asset("page.css") + _page_file("builder.css")
    return framed_page(title, [body, f'<script type="application/json" id="given">{data}</script>'], script=script, style=style)


def _at_most(dataset: Dataset) -> Dataset:
    return dataset if len(dataset) <= MOST_ROWS else dataset.shuffle(seed=_SEED).head(MOST_ROWS)


def _notes(dataset: Dataset, test: Dataset | None) -> str:
    """What the page says of tables that it has only a sample of."""
    tables = {"training": dataset, "test": test}
    return " ".join(
        f"A sample of {MOST_ROWS:,} of the {len(table):,} {name} rows: shuffle(seed={_SEED}).head({MOST_ROWS:_})."
        for name, table in tables.items()
        if table is not None and len(table) > MOST_ROWS
    )


def _trees(against: Any) -> dict[str, Tree]:
    if not isinstance(against, Mapping):
        raise TypeError(f'against must be trees by their names, such as {{"optimal": tree}}, got {type_of(against)}.')
    for tree in against.values():
        check_tree(tree)
    return {printable(name): tree for name, tree in against.items()}


def _page_file(name: str) -> str:
    return asset(f"builder_page/{name}", "ftree.lesson")


def joined_scripts(*chapters: str) -> str:
    """The chapters of the page's script as one."""
    return "\n".join(_page_file(f"{chapter}.js") for chapter in chapters)


def _figures(name: str, tree: Tree, table: Dataset, test: Dataset | None) -> list[Any]:
    """A line of the page's comparison: name, leaves, and the figure on each table."""
    return [name, n_leaves(tree), _figure(tree, table), None if test is None else _figure(tree, test)]


def _figure(tree: Tree, table: Dataset) -> float:
    """The accuracy of a tree, or the root of its mean squared error. Raises a ValueError for a table without cases."""
    require_weight(table.n_cases, len(table))
    if tree.schema.has_classes:
        return float(accuracy(tree, table))
    return sqrt(float(np.average((predict(tree, table) - table.target_column) ** 2, weights=table.weights)))
