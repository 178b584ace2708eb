"""Checks for exports: other forms of a tree, and the conversion back; with the trees and rows that it tries."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from math import inf, nextafter
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ftree._lib.fields import require_count, require_function
from ftree._lib.objects import gc_paused
from ftree.routing.leaves_of_rows import apply
from ftree.routing.predict import predict as labels_of
from ftree.routing.predict import predict_counts as counts_of
from ftree.testing.laws import law, near, on_drawn
from ftree.testing.strategies import chain, trees
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, Not, Opaque, SumBetween, Worded
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Leaf, Node, Tree, check_tree, preorder
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import UNKNOWN, Threshold
from ftree.tree.splits.split import Integers

_T = TypeVar("_T")
_DEPTH = 20_000
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
    laws = [
        _Laws(partial(to, missing=rule) if rules else to, predict, counts, from_, rule, exempt, infinite=bool(rules))
        for rule in rules or [missing]
    ]
    drawn = trees() | trees(fractions=True) if given_trees is None else given_trees

    on_drawn(
        lambda of_rule, pair: of_rule.check(*pair),
        of_rule=st.sampled_from(laws),
        pair=cases(drawn, awkward="names" not in exempt),
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
            answers, labels = list(self.predict(exported, asked)), labels_of(tree, equal, missing=self.rule)
            same = answers == labels or (not tree.schema.has_classes and near(answers, labels))
            text = f"an export predicts what the tree predicts on {meant}"
            law(text, same, got=answers, wanted=labels, exempt=self._exemption(meant, tree), rows=asked, tree=tree.root)
        if self.counts is not None and asked:
            found, wanted = self.counts(exported, asked), counts_of(tree, equal, missing=self.rule)
            text = f"an export has the counts that the tree predicts on {meant}"
            law(text, near(found, wanted), got=found, wanted=wanted, exempt=self._exemption(meant, tree), rows=asked)

    def _exemption(self, meant: str, tree: Tree) -> str:
        """The name of the law by which an export is exempt from such rows, or from the names of the tree."""
        own = next((gap for gap, words in _MEANT.items() if gap and words == meant), "")
        of_users = "users_splits" if isinstance(tree.root, Branch) and isinstance(tree.root.split, Inside) else ""
        return own or of_users or ("names" if _AWKWARD.partition("{}")[2] in tree.schema.target else "")


def _check_splits(laws: list[_Laws], to: Any, rules: Collection[Any], exempt: Collection[str]) -> None:
    """Users' splits are read by their conditions; opaque splits and unsupported rules are refused by their names."""
    own = built_tree(Threshold(0, 1.5) if "users_splits" in exempt else Inside((0,), -1.0, 2.5))
    for each in laws if "users_splits" not in exempt else ():
        told = _refusal(each.to, own)
        law("an export reads a user's split by its condition", not told, got=told, exempt="users_splits")
        each.check(own, [*export_rows(own, 20), [None]])
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
    tree = chain(_DEPTH)
    rows: list[list[Any]] = [[0.0], [1.5], [2.0], [_DEPTH / 2], *([] if "missing" in laws.exempt else [[None]])]
    answers, told = None, None
    try:
        exported = laws.to(tree)
        assert laws.from_ is None or laws.from_(exported, tree.schema) == tree, "a deep export is read as an equal tree"
        answers = None if laws.predict is None else list(laws.predict(exported, rows))
    except RecursionError as error:
        law(f"a tree {_DEPTH} deep survives its export", False, got=type(error).__name__, exempt="deep")  # noqa: FBT003  # it failed
    except ValueError as error:
        told = str(error)
    if told is not None:
        assert str(_DEPTH) in told, "an export with a limit of depth names the depth that it refuses"
        return
    assert answers in (None, labels_of(tree, rows, missing=laws.rule)), "a deep export predicts what the tree predicts"


def _kinds(tree: Tree, rows: list[list[Any]], exempt: Collection[str]) -> Iterator[tuple[str, list[list[Any]]]]:
    """The rows of each kind that occurs and that the export handles, with its name.

    A split on a row's way has no answer, since a value is missing, or unknown to the split; or all have one.
    """
    leaves = apply(tree, rows, missing="stop_here")
    gaps = [None if leaf >= 0 else "missing" if None in row else "unseen" for leaf, row in zip(leaves, rows, strict=True)]
    for gap, meant in _MEANT.items():
        asked = [row for row, own in zip(rows, gaps, strict=True) if own == gap]
        if asked and gap not in exempt:
            yield meant, asked


_UNSEEN = "of no split"
_AWKWARD = "{} 'größe\" \\ 100% {{東京}} -- <&>;"


@st.composite
def cases(draw: DrawFn, given_trees: SearchStrategy[Tree], *, awkward: bool) -> tuple[Tree, list[list[Any]]]:
    """A tree, in half of the cases with names that need quoting, and rows to predict."""
    given = draw(given_trees)
    tree = _with_thirds(given) if draw(st.booleans()) else given
    named = with_awkward_names(tree) if awkward and draw(st.booleans()) else tree
    features = named.schema.features
    drawn = draw(st.lists(st.tuples(*map(_cells, features)), min_size=1, max_size=6))
    # One row of each kind always, since a hundred draws may contain none.
    missing, unseen = [None] * len(features), [None if feature.kind == "numeric" else _UNSEEN for feature in features]
    return named, [*map(list, drawn), missing, unseen, *export_rows(named, 12, seed=draw(st.integers(0, 99)))]


def _with_thirds(tree: Tree) -> Tree:
    """The tree with thirds added to thresholds of numbers, which then take all digits of a float."""

    def longer(node: Branch, below: tuple[Node, ...]) -> Node:
        split = node.split
        if isinstance(split, Threshold) and tree.schema.features[split.feature].kind == "numeric":
            split = evolve(split, at=split.at + 1 / 3)
        return Branch(node.counts, split, below)

    return evolve(tree, root=fold(tree, lambda leaf: leaf, longer))


def _cells(feature: Feature) -> SearchStrategy[Any]:
    """Values of a feature, None, and, except for numbers, one value that the feature does not have."""
    if feature.kind == "numeric":
        return st.integers(-1, 10).map(lambda n: n / 2) | st.none()
    return st.sampled_from([*feature.values, None, _UNSEEN])


def with_awkward_names(tree: Tree) -> Tree:
    r"""The tree with names that programs must quote: quotes, backslashes, braces, non-ASCII letters; some differ in them only.

    >>> from ftree.testing import chain
    >>> print(with_awkward_names(chain(0)).schema.classes[0])
    even 'größe" \ 100% {東京} -- <&>;
    """
    schema = tree.schema
    features = [
        evolve(each, name=_awkward(f"f{' _-.'[number % 4]}{number // 4}"), values=[*map(_awkward, each.values)])
        for number, each in enumerate(schema.features)
    ]
    target, classes = _AWKWARD.format(schema.target), [*map(_awkward, schema.classes)]
    return evolve(tree, schema=evolve(schema, features=features, target=target, classes=classes))


def _awkward(value: Any) -> Any:
    return _AWKWARD.format(value) if isinstance(value, str) else value


def with_infinities(tree: Tree, rows: list[list[Any]]) -> list[list[Any]]:
    """The rows with infinities instead of the largest numbers; none for a tree with sums, whose results would differ."""
    if any(isinstance(each, SumBetween) for each in _stated(tree)):
        return []
    swapped = {_LARGEST: inf, -_LARGEST: -inf}
    return [[swapped.get(cell, cell) if isinstance(cell, float) else cell for cell in row] for row in rows]


def _stated(tree: Tree) -> list[Condition]:
    return [each for node in preorder(tree) if isinstance(node, Branch) for each in node.split.conditions]


@frozen
class Inside:
    """A user's split type whose conditions are in the algebra: above one number and at most another, or not."""

    features: tuple[int]
    low: float
    high: float
    n_children = 2

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """In the interval; outside it."""
        (feature,) = self.features
        outside = AnyOf((Between(feature, at_most=self.low), Between(feature, above=self.high)))
        return AllOf((Between(feature, above=self.low), Between(feature, at_most=self.high))), outside

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """0 in the interval, 1 outside, -1 where the value is missing."""
        return np.where(np.isnan(column), UNKNOWN, ~((self.low < column) & (column <= self.high)))


@frozen
class Even:
    """A user's split type whose condition only the split can evaluate."""

    features: tuple[int]
    n_children = 2

    @property
    def conditions(self) -> tuple[Opaque, ...]:
        """Conditions that the split evaluates."""
        return Opaque(self, 0, "{0} is even"), Opaque(self, 1, "{0} is not even")

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """0 for even numbers, 1 for others, -1 where the value is missing."""
        return np.where(np.isnan(column), UNKNOWN, column % 2 != 0)


def built_tree(split: Any) -> Tree:
    """A tree of one binary split of the feature x, and a threshold below it."""
    below = Branch((2, 3), Threshold(0, 0.5), (Leaf((2, 0)), Leaf((0, 3))))
    return Tree(Schema([Feature("x", "numeric")], "class", ("no", "yes")), Branch((3, 3), split, (Leaf((1, 0)), below)))


# A value of these rows that stands for infinity.
_LARGEST = 1e300
_UNSEEN_TEXT: dict[type, Any] = {str: "of no split, größer", int: 987654, float: 0.123}


def export_rows(tree: Tree, n: int = 10_000, *, seed: int = 0) -> list[list[Any]]:
    """Rows of values in the schema's order, None where a value is missing, to test an export of the tree.

    Numbers equal the tree's thresholds, or are the next float above or below, or are very large; other values are those of the
    schema, and one that it lacks. Half of the rows have no missing value.

    Raises a TypeError for anything but a Tree, a ValueError for an n that is not a whole number from 0.

    >>> from ftree.testing import chain
    >>> export_rows(chain(1), 5)
    [[1e+300], [0.0], [1.5], [0.5000000000000001], [0.5000000000000001]]
    """
    check_tree(tree)
    require_count("n", n, 0)
    random = np.random.default_rng(seed)
    pools = [_pool(feature, cuts) for feature, cuts in zip(tree.schema.features, _cuts(tree), strict=True)]
    columns = [random.integers(len(pool), size=n) for pool in pools]
    gaps = random.random((n, len(pools))) < random.choice([0.0, 0.0, 0.2, 0.6], size=(n, 1))
    chosen = [[pool[place] for place in places.tolist()] for pool, places in zip(pools, columns, strict=True)]
    return [
        [None if gap else cell for cell, gap in zip(row, missing, strict=True)]
        for row, missing in zip(zip(*chosen, strict=True), gaps.tolist(), strict=True)
    ]


def _cuts(tree: Tree) -> list[list[float]]:
    """The numbers in conditions, by feature; for a sum, the value of each feature if the others are 0."""
    found: defaultdict[Any, set[float]] = defaultdict(set)
    stack = _stated(tree)
    while stack:
        match stack.pop():
            case Between(feature, above, at_most):
                found[feature] |= {above, at_most}
            case SumBetween(features, weights, above, at_most):
                for feature, weight in zip(features, weights, strict=True):
                    found[feature] |= {above / weight, at_most / weight}
            case AllOf(conditions) | AnyOf(conditions):
                stack += conditions
            case Worded(condition) | Not(condition):
                stack.append(condition)
            case FirstKnown(pairs):
                stack += [each for pair in pairs for each in pair]
    return [sorted(found[number] - {inf, -inf}) for number in range(len(tree.schema.features))]


def _pool(feature: Feature, cuts: list[float]) -> list[Any]:
    """The values of a feature to choose from."""
    if feature.kind == "numeric":
        beside = [near for cut in cuts for near in (cut, nextafter(cut, -inf), nextafter(cut, inf), cut - 1, cut + 1)]
        return [*beside, 0.0, _LARGEST, -_LARGEST]
    unseen = [_UNSEEN_TEXT[kind] for kind in {type(value) for value in feature.values} & set(_UNSEEN_TEXT)]
    return [*feature.values, *unseen]
