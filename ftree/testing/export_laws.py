"""Checks for exports: other forms of a tree, and the conversion back."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree._lib.objects import gc_paused
from ftree.routing.leaves_of_rows import apply
from ftree.routing.predict import predict as labels_of
from ftree.routing.predict import predict_counts as counts_of
from ftree.testing.export_cases import Even, Inside, built_tree, cases, export_rows, with_infinities
from ftree.testing.laws import check_laws, law, near, require_exempt
from ftree.testing.strategies import chain, trees
from ftree.tree.nodes import Tree
from ftree.tree.schema import Schema
from ftree.tree.splits import Threshold

_T = TypeVar("_T")
_DEPTH = 20_000
_ALL_RULES = ("all_routes", "weighted", "heaviest", "stop_here")
_Exempt: TypeAlias = Literal["missing", "unseen", "deep", "names", "users_splits"]
# The rows that an export may be exempt from, in words; "" are those that each export predicts.
_Gap: TypeAlias = Literal["", "missing", "unseen"]
_ROWS: dict[_Gap, str] = {
    "": "rows to which every split gives a child",
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

    `predict(exported, rows)` returns a label for each row, or a number up to rounding, as the tree does by the rule `missing`,
    and `counts` the class counts (n, K). A row is a list of values in the schema's order, None where a value is missing. Numbers
    equal the thresholds of the trees or are adjacent to them; some values are in no split. `from_(exported, schema)` makes a
    tree of the exported form.
    Each of these functions may be omitted.

    `rules` are the prediction rules for missing values that the export can express. The export is then called as
    `to(tree, missing=rule)`, must predict by each of them, including infinite numbers and users' splits, and must refuse the
    library's other rules and an opaque split by a ValueError that names them.

    An export without predictions for rows with missing values, or with values that a split does not know, is `exempt` from
    "missing" or "unseen"; an export that cannot write names with quotes, from "names". An export with a limit of depth refuses
    deeper trees by a ValueError, or is exempt from "deep". "users_splits" are those that an export
    does not read by their conditions.

    >>> from ftree import from_dict, to_dict
    >>> check_export(lambda tree: to_dict(tree, counts=True), from_=from_dict, exempt={"deep"})
    """
    require_function("to", to)
    for name, function in (("predict", predict), ("counts", counts), ("from_", from_)):
        if function is not None:
            require_function(name, function)
    require_exempt(exempt, _Exempt)
    laws = [
        _Laws(partial(to, missing=rule) if rules else to, predict, counts, from_, rule, exempt, infinite=bool(rules))
        for rule in rules or [missing]
    ]
    drawn = trees() | trees(fractions=True) if given_trees is None else given_trees

    check_laws(
        lambda of_rule, case: of_rule.check(*case),
        of_rule=st.sampled_from(laws),
        case=cases(drawn, awkward="names" not in exempt),
    )
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

    def check(self, tree: Tree, rows: list[list[Any]], exempt: str) -> None:
        """All laws, for a tree and rows; `exempt` names the law by which an export is exempt from such a tree, "" for none."""
        exported = self.to(tree)
        if self.from_ is not None:
            again = self.from_(exported, tree.schema)
            law("an export is read as an equal tree", again == tree, got=again, wanted=tree)
        for gap, asked in _by_gap(tree, rows, self.exempt):
            self._answers(tree, exported, asked, asked, _ROWS[gap], gap or exempt)
            if self.infinite:
                self._answers(tree, exported, with_infinities(tree, asked), asked, "infinite numbers", exempt)

    def _answers(
        self, tree: Tree, exported: Any, asked: list[list[Any]], equal: list[list[Any]], meant: str, exempt: str
    ) -> None:
        """The export predicts what the tree predicts on equal rows."""
        if self.predict is not None and asked:
            answers, labels = list(self.predict(exported, asked)), labels_of(tree, equal, missing=self.rule)
            same = answers == labels or (not tree.schema.has_classes and near(answers, labels))
            text = f"an export predicts what the tree predicts on {meant}"
            law(text, same, got=answers, wanted=labels, exempt=exempt, rows=asked, tree=tree.root)
        if self.counts is not None and asked:
            found, wanted = self.counts(exported, asked), counts_of(tree, equal, missing=self.rule)
            text = f"an export has the counts that the tree predicts on {meant}"
            law(text, near(found, wanted), got=found, wanted=wanted, exempt=exempt, rows=asked)


def _check_splits(laws: list[_Laws], to: Any, rules: Collection[Any], exempt: Collection[str]) -> None:
    """Users' splits are read by their conditions; opaque splits and unsupported rules are refused by their names."""
    own = built_tree(Threshold(0, 1.5) if "users_splits" in exempt else Inside((0,), -1.0, 2.5))
    for each in laws if "users_splits" not in exempt else ():
        told = _refusal(each.to, own)
        law("an export reads a user's split by its condition", not told, got=told, exempt="users_splits")
        each.check(own, [*export_rows(own, 20), [None]], "users_splits")
        told = _refusal(each.to, built_tree(Even((0,))))
        law("an export refuses an opaque split by its name", "Even" in told, got=told, wanted="Even", exempt="users_splits")
    for rule in set(_ALL_RULES) - set(rules):
        told = _refusal(partial(to, missing=rule), own)
        law("an export refuses by its name a rule that it cannot express", rule in told, got=told, wanted=rule)


def _refusal(to: Callable[[Tree], Any], tree: Tree) -> str:
    """The text of the ValueError that an export raises; nothing if it raises none."""
    try:
        to(tree)
    except ValueError as error:
        return str(error)
    return ""


@gc_paused()
def _check_deep(laws: _Laws) -> None:
    """A deep tree is exported and predicted from, or refused by a ValueError with its depth."""
    tree = chain(_DEPTH)
    rows: list[list[Any]] = [[0.0], [1.5], [2.0], [_DEPTH / 2], *([] if "missing" in laws.exempt else [[None]])]
    try:
        exported = laws.to(tree)
        again = tree if laws.from_ is None else laws.from_(exported, tree.schema)
        answers = None if laws.predict is None else list(laws.predict(exported, rows))
    except RecursionError as error:
        law(f"a tree {_DEPTH} deep survives its export", False, got=type(error).__name__, exempt="deep")  # noqa: FBT003  # it failed
    except ValueError as error:
        law("an export with a limit of depth names the depth that it refuses", str(_DEPTH) in str(error), got=str(error))
    else:
        law("a deep export is read as an equal tree", again == tree)
        wanted = labels_of(tree, rows, missing=laws.rule)
        law("a deep export predicts what the tree predicts", answers in (None, wanted), got=answers, wanted=wanted, rows=rows)


def _by_gap(tree: Tree, rows: list[list[Any]], exempt: Collection[str]) -> Iterator[tuple[_Gap, list[list[Any]]]]:
    """The rows that have a gap on their way, by its kind, if the export handles it.

    A split on a row's way has no answer, since a value is missing, or unknown to the split; or all have one.
    """
    leaves = apply(tree, rows, missing="stop_here")
    gaps = ["" if leaf >= 0 else "missing" if None in row else "unseen" for leaf, row in zip(leaves, rows, strict=True)]
    for gap in _ROWS:
        asked = [row for row, own in zip(rows, gaps, strict=True) if own == gap]
        if asked and not (gap and gap in exempt):
            yield gap, asked
