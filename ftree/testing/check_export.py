"""The battery for exports: other forms of a tree, and the conversion back."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree._lib.gc_pause import gc_paused
from ftree.data.rows import columns_of
from ftree.routing.predict import predict as labels_of
from ftree.routing.predict import predict_counts as counts_of
from ftree.testing.chain import chain
from ftree.testing.export_cases import Even, Inside, cases, tree_of, with_infinities
from ftree.testing.export_rows import export_rows
from ftree.testing.laws import near, trying
from ftree.testing.strategies import trees
from ftree.tree.nodes import Branch, Tree
from ftree.tree.schema import Schema
from ftree.tree.splits import UNKNOWN, child_of

_T = TypeVar("_T")
_DEPTH = 100_000
_ALL_RULES = ("all_routes", "weighted", "heaviest", "stop_here")
_Exempt: TypeAlias = Literal["missing", "unseen", "deep", "names", "users_splits"]
_MEANT: dict[str | None, str] = {
    None: "rows to which every split gives a child",
    "missing": "rows with missing values",
    "unseen": "rows with unseen values",
}


def check_export(
    to: Callable[..., _T],
    *,
    predict: Callable[[_T, list[list[Any]]], Sequence[Any]] | None = None,
    counts: Callable[[_T, list[list[Any]]], Any] | None = None,
    from_: Callable[[_T, Schema], Tree] | None = None,
    missing: Any = "all_routes",
    rules: Collection[Any] = (),
    given_trees: SearchStrategy[Tree] | None = None,
    exempt: Collection[_Exempt] = (),
) -> None:
    """Check an export: `to(tree)` predicts what the tree predicts, leads back to an equal tree, and takes any depth.

    `predict(exported, rows)` returns a label for each row, as the tree does by the rule `missing`, and `counts` the class
    counts (n, K). A row is a list of values in the schema's order, None where a value is missing. Numbers equal the thresholds of
    the trees or are adjacent to them; some values are in no split. `from_(exported, schema)` makes a tree of the exported form.
    Each of these functions may be omitted.

    `rules` are the prediction rules for missing values that the export can express. The export is then called as
    `to(tree, missing=rule)`, must predict by each of them, including infinite numbers and users' splits, and must refuse the
    library's other rules and an opaque split by a ValueError that names them.

    An export without predictions for rows with missing values, or with values that a split does not know, is `exempt` from
    "missing" or "unseen"; an export that cannot write names with quotes, from "names". An export with a limit of depth refuses
    deeper trees by a ValueError, or is exempt from "deep".

    >>> from ftree import from_dict, to_dict
    >>> check_export(lambda tree: to_dict(tree, counts=True), from_=from_dict, exempt={"deep"})
    """
    require_function("to", to)
    for name, function in (("predict", predict), ("counts", counts), ("from_", from_)):
        if function is not None:
            require_function(name, function)
    laws = [
        _Laws(partial(to, missing=rule) if rules else to, predict, counts, from_, rule, exempt, infinite=bool(rules))
        for rule in rules or [missing]
    ]

    @trying()
    @given(st.sampled_from(laws), cases(trees() if given_trees is None else given_trees, awkward="names" not in exempt))
    def on_any(of_rule: _Laws, pair: tuple[Tree, list[list[Any]]]) -> None:
        of_rule.check(*pair)

    on_any()
    if rules:
        _check_splits(laws, to, rules, exempt)
    if "deep" not in exempt:
        _check_deep(laws[0])


@frozen(eq=False)
class _Laws:
    """The laws of an export for one prediction rule."""

    to: Any
    predict: Any
    counts: Any
    from_: Any
    rule: Any
    exempt: Collection[str]
    infinite: bool

    def check(self, tree: Tree, rows: list[list[Any]]) -> None:
        """All laws, for a tree and rows."""
        exported = self.to(tree)
        assert self.from_ is None or self.from_(exported, tree.schema) == tree, "an export is read as an equal tree"
        for meant, asked in _kinds(tree, rows, self.exempt):
            self._answers(tree, exported, asked, asked, meant)
            if self.infinite:
                self._answers(tree, exported, with_infinities(tree, asked), asked, "infinite numbers")

    def _answers(self, tree: Tree, exported: Any, asked: list[list[Any]], equal: list[list[Any]], meant: str) -> None:
        """The export predicts what the tree predicts on equal rows."""
        if self.predict is not None and asked:
            answers = list(self.predict(exported, asked))
            assert answers == labels_of(tree, equal, missing=self.rule), f"an export predicts what the tree predicts on {meant}"
        if self.counts is not None and asked:
            wanted = counts_of(tree, equal, missing=self.rule)
            assert near(self.counts(exported, asked), wanted), f"an export has the counts that the tree predicts on {meant}"


def _check_splits(laws: list[_Laws], to: Any, rules: Collection[Any], exempt: Collection[str]) -> None:
    """Users' splits are read by their conditions; opaque splits and unsupported rules are refused by their names."""
    own = tree_of(Inside(0, -1.0, 2.5))
    for each in laws if "users_splits" not in exempt else ():
        each.check(own, [*export_rows(own, 20), [None]])
        _refused(lambda each=each: each.to(tree_of(Even(0))), "Even", "an export refuses an opaque split by its name")  # type: ignore[misc]  # a default
    for rule in set(_ALL_RULES) - set(rules):
        _refused(lambda rule=rule: to(own, missing=rule), rule, "an export refuses by its name a rule that it cannot express")  # type: ignore[misc]  # a default


def _refused(export: Callable[[], Any], name: str, law: str) -> None:
    told = ""
    try:
        export()
    except ValueError as error:
        told = str(error)
    assert name in told, law


@gc_paused()
def _check_deep(laws: _Laws) -> None:
    tree = chain(_DEPTH)
    rows: list[list[Any]] = [[0.0], [1.5], [2.0], [_DEPTH / 2], *([] if "missing" in laws.exempt else [[None]])]
    answers, told = None, None
    try:
        exported = laws.to(tree)
        assert laws.from_ is None or laws.from_(exported, tree.schema) == tree, "a deep export is read as an equal tree"
        answers = None if laws.predict is None else list(laws.predict(exported, rows))
    except RecursionError as error:
        message = f"a tree {_DEPTH} deep survives its export"
        raise AssertionError(message) from error
    except ValueError as error:
        told = str(error)
    if told is not None:
        assert str(_DEPTH) in told, "an export with a limit of depth names the depth that it refuses"
        return
    assert answers in (None, labels_of(tree, rows, missing=laws.rule)), "a deep export predicts what the tree predicts"


def _kinds(tree: Tree, rows: list[list[Any]], exempt: Collection[str]) -> Iterator[tuple[str, list[list[Any]]]]:
    """The rows of each kind that occurs and that the export handles, with its name."""
    gaps = [_gap(tree, row) for row in rows]
    for gap, meant in _MEANT.items():
        asked = [row for row, own in zip(rows, gaps, strict=True) if own == gap]
        if asked and gap not in exempt:
            yield meant, asked


def _gap(tree: Tree, row: list[Any]) -> Literal["missing", "unseen"] | None:
    """Why a split on the row's path has no answer: a value is missing, or unknown to the split; None if all have one."""
    columns, _, _ = columns_of(tree.schema, [row])
    node = tree.root
    while isinstance(node, Branch):
        child = int(child_of(node.split, *(columns[feature] for feature in node.split.features)).item())
        if child == UNKNOWN:
            return "missing" if None in row else "unseen"
        node = node.children[child]
    return None
