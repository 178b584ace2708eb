"""The battery for exports: other forms of a tree, and the way back."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ftree._lib.fields import require_function
from ftree._lib.gc_pause import gc_paused
from ftree.data.rows import columns_of
from ftree.routing.predict import predict as labels_of
from ftree.testing.chain import chain
from ftree.testing.laws import trying
from ftree.testing.strategies import trees
from ftree.tree.nodes import Branch, Tree
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import UNKNOWN, child_of

_T = TypeVar("_T")
_DEPTH = 100_000
_UNSEEN = "of no split"
_Gap: TypeAlias = Literal["missing", "unseen"]
_MEANT: dict[_Gap | None, str] = {
    None: "rows that every split knows",
    "missing": "rows with missing values",
    "unseen": "rows with unseen values",
}


def check_export(
    to: Callable[[Tree], _T],
    *,
    predict: Callable[[_T, list[list[Any]]], Sequence[Any]] | None = None,
    from_: Callable[[_T, Schema], Tree] | None = None,
    missing: Any = "all_routes",
    given_trees: SearchStrategy[Tree] | None = None,
    exempt: Collection[Literal["missing", "unseen", "deep"]] = (),
) -> None:
    """Check an export: `to(tree)` predicts what the tree predicts, leads back to an equal tree, and takes any depth.

    `predict(exported, rows)` returns a label for each row, as the tree does with the rule `missing`. A row is a list of
    values in the schema's order, None where one is missing. Numbers are halves, so that they equal the thresholds of
    `trees`; some values are in no split. `from_(exported, schema)` makes a tree of the exported form. Either may be left out.

    An export that has no answer for rows with missing values, or with values that a split does not know, is `exempt` from
    "missing" or "unseen". One whose form has a limit of depth is exempt from "deep".

    >>> from ftree import from_dict, to_dict
    >>> check_export(lambda tree: to_dict(tree, counts=True), from_=from_dict, exempt={"deep"})
    """
    require_function("to", to)
    for name, function in (("predict", predict), ("from_", from_)):
        if function is not None:
            require_function(name, function)

    @trying()
    @given((trees() if given_trees is None else given_trees).flatmap(_with_rows))
    def laws(pair: tuple[Tree, list[list[Any]]]) -> None:
        tree, rows = pair
        exported = to(tree)
        assert from_ is None or from_(exported, tree.schema) == tree, "an export leads back to an equal tree"
        for meant, asked in () if predict is None else _kinds(tree, rows, exempt):
            answers = list(predict(exported, asked))  # type: ignore[misc]  # a function, as the line before has seen
            assert answers == labels_of(tree, asked, missing=missing), f"an export predicts what the tree predicts on {meant}"

    laws()
    if "deep" not in exempt:
        _check_deep(to, predict, from_, missing, exempt)


@gc_paused()
def _check_deep(to: Any, predict: Any, from_: Any, missing: Any, exempt: Collection[str]) -> None:
    tree = chain(_DEPTH)
    rows: list[list[Any]] = [[0.0], [1.5], [2.0], [_DEPTH / 2], *([] if "missing" in exempt else [[None]])]
    try:
        exported = to(tree)
        assert from_ is None or from_(exported, tree.schema) == tree, "a deep export leads back to an equal tree"
        answers = None if predict is None else list(predict(exported, rows))
    except RecursionError as error:
        message = f"a tree {_DEPTH} deep survives its export"
        raise AssertionError(message) from error
    assert answers in (None, labels_of(tree, rows, missing=missing)), "a deep export predicts what the tree predicts"


def _kinds(tree: Tree, rows: list[list[Any]], exempt: Collection[str]) -> Iterator[tuple[str, list[list[Any]]]]:
    """The rows of each kind that there is and that the export answers, with its name."""
    gaps = [_gap(tree, row) for row in rows]
    for gap, meant in _MEANT.items():
        asked = [row for row, own in zip(rows, gaps, strict=True) if own == gap]
        if asked and gap not in exempt:
            yield meant, asked


def _gap(tree: Tree, row: list[Any]) -> _Gap | None:
    """Why a split on the row's way has no answer: a value is missing, or not known to the split; None if all have one."""
    columns, _, _ = columns_of(tree.schema, [row])
    node = tree.root
    while isinstance(node, Branch):
        child = int(child_of(node.split, *(columns[feature] for feature in node.split.features))[0])
        if child == UNKNOWN:
            return "missing" if None in row else "unseen"
        node = node.children[child]
    return None


@st.composite
def _with_rows(draw: DrawFn, tree: Tree) -> tuple[Tree, list[list[Any]]]:
    features = tree.schema.features
    rows = draw(st.lists(st.tuples(*map(_cells, features)), min_size=1, max_size=6))
    # One row of each gap in any case: draws alone may miss it for a hundred trees.
    missing, unseen = [None] * len(features), [None if feature.kind == "numeric" else _UNSEEN for feature in features]
    return tree, [*map(list, rows), missing, unseen]


def _cells(feature: Feature) -> SearchStrategy[Any]:
    """Values of a feature, None, and, but for numbers, one that the feature does not have."""
    if feature.kind == "numeric":
        return st.integers(-1, 10).map(lambda n: n / 2) | st.none()
    return st.sampled_from([*feature.values, None, _UNSEEN])
