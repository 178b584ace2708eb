"""Checks for splitters of one feature, splitters of several, and choices between features; and the tables they draw."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import pairwise, product
from math import ceil
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from attrs import frozen
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ftree import splitters
from ftree._lib.arrays import TIE, Array, midpoint
from ftree._lib.fields import require_function
from ftree._lib.messages import short_repr
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.inherited_state import parts_with_state, state_of_root
from ftree.criteria.scores import gain
from ftree.testing.laws import ask_again, equal, law, near, same, trying
from ftree.tree.schema import Feature, Kind
from ftree.tree.splits import Intervals, Subset, Threshold
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import UNKNOWN, Split

# Rows for which splitters use compiled code, where it is at hand; values and cases for which one may round or leave out cuts.
_MANY_ROWS, _MANY_VALUES, _MANY_CASES = 1000, 300, 10_000
_Law: TypeAlias = Literal["best", "midway", "score"]


@frozen(eq=False)
class Table:
    """The cases of a node by one feature: its number, the distinct `values` present in order, their class `counts` (V, K).

    >>> import numpy as np
    >>> Table(0, Feature("x", "numeric"), (1.0, 2.0), np.array([[2, 0], [1, 1]])).values
    (1.0, 2.0)
    """

    number: int
    feature: Feature
    values: list[float]
    counts: Array

    def children(self, split: Split) -> Array:
        """Class counts (children, K) of a split, added up value by value."""
        counts = np.zeros((split.n_children, self.counts.shape[1]))
        for child, own in zip(child_of(split, np.array(self.values)).tolist(), self.counts, strict=True):
            counts[child] += own
        return counts

    def cuts(self) -> Iterator[Threshold]:
        """Every threshold midway between adjacent values, the lowest first."""
        return (Threshold(self.number, at) for at in midpoint(np.array(self.values[:-1]), np.array(self.values[1:])).tolist())

    def divisions(self) -> Iterator[Subset]:
        """Every division of the values in two; child 0 has the first value."""
        first, *others = map(int, self.values)
        for kept in list(product((True, False), repeat=len(others)))[1:]:
            yield Subset(self.number, (first, *(value for value, own in zip(others, kept, strict=True) if own)))


# From a table and the measure of children's counts (V, K) to the best score and its split; None if there is no split.
_Best: TypeAlias = Callable[[Table, splitters.Measure], "tuple[float, Split] | None"]


def check_splitter(
    splitter: splitters.Splitter, *, n_classes: int | None = None, oracle: _Best | None = None, exempt: Collection[_Law] = ()
) -> None:
    """Check a splitter: on small tables, its splits are those of the feature, and its counts those of the children.

    A level's results are its tables' results. These laws can be `exempt`. "score": the score is the measure of the children's
    counts. "best": a table of two values has a split, and no other cut or division in two scores higher; of equal cuts it is
    the lowest. "midway": cuts are midway between adjacent values. A splitter for so many classes is told `n_classes`.

    `oracle` gives the right result: from a `Table` and the measure to the score and the split, or None if there is no split.

    >>> from ftree.splitters import threshold
    >>> check_splitter(threshold())
    """
    if not splitters.is_splitter(splitter):
        raise TypeError(f"splitter must be a splitter of single features, such as threshold(), got {short_repr(splitter)}.")

    drawn = tables(splitter.kinds, n_classes)

    @trying()
    @given(drawn, st.sampled_from([entropy, gini]))
    def laws(level: list[Table], impurity: Any) -> None:
        measure = partial(_rounded_gain, impurity)
        runs = as_runs(level)
        found = splitter(runs, measure)
        same("a splitter does not change its values", runs.value, as_runs(level).value, level=level)
        same("a splitter does not change its runs", runs.counts, as_runs(level).counts, level=level)
        equal("a splitter has one score for each run", np.shape(found.score), (len(level),))
        for number, table in enumerate(level):
            score, built = _answer(found, number)
            own, alone = _answer(splitter(as_runs([table]), measure), 0)
            equal("a level's scores are its tables' scores", score, own, table=table)
            same("a level's splits are its tables' splits", built and built[0], alone and alone[0], table=table)
            if built is not None:
                _check_split(table, *built, exempt)
                if "score" not in exempt:
                    text, given_ = "a score is the measure of the children", {"table": table, "split": built[0]}
                    equal(text, score, measure(built[1]), exempt="score", **given_)
            if "best" not in exempt:
                _check_best(table, score, built and built[0], measure)
            if oracle is not None:
                best, split = oracle(table, measure) or (-np.inf, None)
                law("a score is that of the oracle", near(score, best), got=score, wanted=best, table=table)
                same("a split is that of the oracle", built and built[0], split, table=table)

    @trying(fewer=10)
    @given(drawn)
    def laws_of_many_rows(level: list[Table]) -> None:
        times = ceil(_MANY_ROWS / sum(len(table.values) for table in level))
        few, many = (splitter(as_runs(tables), partial(gain, impurity=entropy)) for tables in (level, level * times))
        equal("a large level's scores are its tables' scores", many.score, np.tile(few.score, times), tables=level)
        for number, table in enumerate(level):
            (_, own), (_, last) = _answer(few, number), _answer(many, len(many.score) - len(level) + number)
            same("a large level's splits are its tables' splits", last and last[0], own and own[0], table=table)

    ask_again(laws, splitter, lambda own, level, impurity: own(as_runs(level), partial(gain, impurity=impurity)).score)
    laws_of_many_rows()
    _check_many_values(splitter, n_classes or 2, exempt)


def _check_many_values(splitter: splitters.Splitter, n_classes: int, exempt: Collection[_Law]) -> None:
    """Of many cuts, the one that divides all cases without an error is found, also where it lies between neighbouring floats."""
    if "best" in exempt or "numeric" not in splitter.kinds:
        return
    order, measure, ends = np.arange(_MANY_VALUES), partial(gain, impurity=entropy), range(3, _MANY_VALUES, 19)
    feature, values = Feature("x", "numeric"), (1 + order * np.finfo(float).eps).tolist()
    level = [Table(0, feature, values, _MANY_CASES * np.eye(n_classes)[(order >= end) * (n_classes - 1)]) for end in ends]
    found = splitter(as_runs(level), measure)
    for number, (table, end) in enumerate(zip(level, ends, strict=True)):
        score, built = _answer(found, number)
        law("a table of two values has a split", built is not None, exempt="best")
        (split, counts), cut = cast("tuple[Split, Array]", built), list(table.cuts())[end - 1]
        reached = not isinstance(split, Threshold) or score >= measure(table.children(cut)) - TIE
        law(f"of {_MANY_VALUES} values, no other cut scores higher", reached, got=split, wanted=cut, exempt="best")
        equal("a splitter's counts are those of its children", counts, table.children(split), split=split)


def _rounded_gain(impurity: Any, children: Any) -> Any:
    """The gain, with an error that rises with the cases of the first child: of equal cuts, exact comparison takes the last."""
    return gain(children, impurity) + 1e-13 * np.asarray(children)[..., 0, :].sum(axis=-1)


def _answer(found: splitters.BestSplits, number: int) -> tuple[float, tuple[Split, Array] | None]:
    """The score of a run, and its split with the children's counts; None if there is none."""
    score = float(found.score[number])
    law("a score is finite, or -inf if there is no split", np.isfinite(score) or score == -np.inf, got=score)
    return score, None if score == -np.inf else found.build(number)


def _check_split(table: Table, split: Split, counts: Array, exempt: Collection[_Law]) -> None:
    """The split is of the table's feature, its counts are those of its children, and its cuts are midway between values."""
    law("a split is of its run's feature", tuple(split.features) == (table.number,), got=split, table=table)
    children = table.children(split)
    equal("a splitter's counts are those of its children", counts, children, table=table, split=split)
    law("two children have cases", (children.sum(axis=1) > 0).sum() > 1, got=children, table=table, split=split)
    cuts = (split.at,) if isinstance(split, Threshold) else split.cuts if isinstance(split, Intervals) else ()
    if "midway" not in exempt:
        right = [cut.at for cut in table.cuts()]
        law("cuts are midway between adjacent values", {*cuts} <= {*right}, got=cuts, wanted=right, exempt="midway", table=table)


def _check_best(table: Table, score: float, split: Split | None, measure: splitters.Measure) -> None:
    """No other cut or division in two of the same kind scores higher; of equal cuts it is the lowest."""
    law("a table of two values has a split", split is not None or len(table.values) < 2, exempt="best", table=table)  # noqa: PLR2004  # as it says
    first = 0 if split is None else table.children(split)[0].sum()  # a cut is lower if fewer cases are
    candidates = table.cuts() if isinstance(split, Threshold) else table.divisions() if isinstance(split, Subset) else ()
    for other in candidates:
        reached = float(measure(table.children(other)))
        text = f"no other candidate scores higher, as {other!r} does"
        law(text, reached <= score + TIE, got=score, wanted=reached, exempt="best", table=table)
        if isinstance(split, Threshold) and isinstance(other, Threshold) and table.children(other)[0].sum() < first:
            law(
                "of equal cuts the lowest is best", reached < score - TIE / 2, got=split, wanted=other, exempt="best", table=table
            )


_JointLaw: TypeAlias = Literal["best", "found", "score", "units"]


def check_joint_splitter(
    splitter: splitters.JointSplitter, *, n_classes: int | None = None, exempt: Collection[_JointLaw] = ()
) -> None:
    """Check a splitter of several features: its score and its counts are those of the split, and no cut of one feature is better.

    These laws can be `exempt`. "score": the score is the measure of the children's counts, times the share of the cases that have
    an answer. "found": points that differ are split. "best": no cut of a single feature scores higher, and a sum of several
    features must score more than each. "units": the unit and the zero of a feature do not matter.

    A splitter for so many classes is told `n_classes`.

    >>> from ftree.linear import perceptrons
    >>> from ftree.splitters import oblique
    >>> check_joint_splitter(oblique(by=perceptrons()))
    """
    if not isinstance(splitter, splitters.JointSplitter):
        raise TypeError(f"splitter must be a splitter of several features, such as oblique(), got {short_repr(splitter)}.")

    grid = np.array([*product(np.arange(4.0), repeat=2)])
    divided, mixed = (np.eye(n_classes or 2)[(grid @ each > 0) % (n_classes or 2)] for each in ([1, -1], [1.3, -1]))
    holey, line = np.column_stack([grid, np.where(grid[:, 0] == grid[:, 1], np.nan, 1.0)]), np.arange(4.0)[:, None] * [1, 2, 1]

    @trying()
    @example((holey, divided), gini)  # a sum is best of two features, whatever misses the third
    @example((line, divided[[1, 1, 4, 4]]), gini)  # a sum is as good as each feature
    @example((grid, divided), gini)  # a sum is best, which is so of few small tables
    @example((grid, mixed), gini)  # points with equal sums are of two classes
    @given(_points(n_classes), st.sampled_from([entropy, gini]))
    def laws(points: tuple[Array, Array], impurity: Any) -> None:
        vector, counts = points
        measure = partial(gain, impurity=impurity)
        given = _vectors(vector.copy(), counts.copy())
        found = splitter.best(given, measure)
        untouched = np.array_equal(given.vector, vector, equal_nan=True) and np.array_equal(given.counts, counts)
        law("a splitter does not change its vectors", untouched, got=given.vector, wanted=vector)
        cuts = [(cut, _score(cut, vector, counts, measure)[0]) for cut in _cuts(vector)]
        shown = {"points": vector.tolist(), "counts": counts.tolist()}
        there = found is not None or not cuts or "found" in exempt
        law("a split is found if points differ", there, got=found, exempt="found", **shown)
        if found is not None:
            score, split, children = found
            own, of_children = _score(split, vector, counts, measure)
            if "score" not in exempt:
                text = "a score is the measure of the children, times the share of known cases"
                equal(text, score, own, exempt="score", split=split, **shown)
            equal("a splitter's counts are those of its children", children, of_children, split=split, **shown)
            if "best" not in exempt:
                _check_best_joint(split, score, cuts, shown)
            if "units" not in exempt:
                _check_units(splitter, vector, counts, measure, score)

    ask_again(laws, splitter, lambda own, points, **_: (own.best(_vectors(*points), gain) or [None, None])[:2], every=16)


def _vectors(vector: Array, counts: Array) -> splitters.NodeVectors:
    return splitters.NodeVectors(vector, counts, tuple(Feature(f"f{number}", "numeric") for number in range(vector.shape[1])))


def _score(split: Split, vector: Array, counts: Array, measure: splitters.Measure) -> tuple[float, Array]:
    """The measure of a split's children, times the share of known cases; and the counts of the children."""
    children = np.zeros((split.n_children, counts.shape[1]))
    columns = [vector[:, feature] for feature in split.features]
    for child, own in zip(child_of(split, *columns).tolist(), counts, strict=True):
        if child != UNKNOWN:
            children[child] += own
    return float(measure(children)) * children.sum() / counts.sum(), children


def _cuts(vector: Array) -> list[Threshold]:
    """Every cut of a single feature midway between neighbouring values."""
    values = [sorted({value for value in column if not np.isnan(value)}) for column in vector.T.tolist()]
    return [Threshold(feature, (low + high) / 2) for feature, some in enumerate(values) for low, high in pairwise(some)]


def _check_best_joint(split: Split, score: float, cuts: list[tuple[Threshold, float]], shown: dict[str, Any]) -> None:
    for cut, reached in cuts:
        best = reached <= score + TIE
        law("no cut of one feature scores higher", best, got=score, wanted=reached, cut=cut, exempt="best", **shown)
        beaten = len(split.features) == 1 or reached < score - TIE / 2
        law("a sum scores more than any cut of one feature", beaten, got=split, wanted=cut, exempt="best", **shown)


def _check_units(
    splitter: splitters.JointSplitter, vector: Array, counts: Array, measure: splitters.Measure, score: float
) -> None:
    """Check that other units do not change the score; units are powers of two, so that nothing is rounded."""
    other = vector * 2.0 ** np.arange(3, 3 + vector.shape[1]) + 8
    found = splitter.best(_vectors(other, counts), measure)
    own = None if found is None else found[0]
    alike = own is not None and near(own, score)
    law("the units of features do not matter", alike, got=own, wanted=score, exempt="units", points=other)


@st.composite
def _points(draw: DrawFn, classes: int | None) -> tuple[Array, Array]:
    """Distinct points of one to three features in order, as the search gives them; counts are halves, some values are missing."""
    n_classes, n_features = classes or draw(st.integers(1, 3)), draw(st.integers(1, 3))
    value = st.integers(0, 4).map(float) | st.just(np.inf)
    drawn = sorted(draw(st.sets(st.tuples(*[value] * n_features), min_size=1, max_size=8)))
    counted = st.lists(st.integers(0, 3), min_size=n_classes, max_size=n_classes).filter(any)
    counts = draw(st.lists(counted, min_size=len(drawn), max_size=len(drawn)))
    vector = np.array(drawn)
    return np.where(np.isinf(vector), np.nan, vector), np.array(counts) / 2


# A candidate of one node: its feature, its score, its split information in bits, and whether its feature has very many values.
_Candidate = tuple[int, float, float, bool]


def check_choice(choose: splitters.FeatureChoice, *, oracle: Callable[[list[_Candidate]], list[float]] | None = None) -> None:
    """Check a choice between features: one figure for each candidate, and a level's figures are its nodes' figures.

    A figure may be -inf, which excludes the candidate. `oracle` gives the right figures of one node: from a list of candidates
    (feature, score, split information, whether its feature has very many values) to a list of figures.

    >>> from ftree.splitters import by_score
    >>> check_choice(by_score(), oracle=lambda candidates: [score for _, score, *_ in candidates])
    """
    require_function("choose", choose)

    @trying()
    @given(_nodes())
    def laws(nodes: list[list[_Candidate]]) -> None:
        level = _level(choose, nodes)
        scores = level.score.copy()
        figures = np.asarray(choose(level))
        equal("a choice has one figure for each candidate", figures.shape, scores.shape, candidates=nodes)
        same("a choice does not change the scores", level.score, scores)
        law("a figure is finite, or -inf", (np.isfinite(figures) | (figures == -np.inf)).all(), got=figures, candidates=nodes)
        ends = np.cumsum([len(node) for node in nodes])
        for node, own in zip(nodes, np.split(figures, ends[:-1]), strict=True):
            alone = np.asarray(choose(_level(choose, [node]))) if node else own
            equal("a level's figures are its nodes' figures", own, alone, candidates=node)
            if oracle is not None and node:
                equal("figures are those of the oracle", own, oracle(node), candidates=node)

    ask_again(laws, choose, lambda own, nodes: own(_level(own, nodes)))


def _level(choose: splitters.FeatureChoice, nodes: list[list[_Candidate]]) -> splitters.Candidates:
    """The candidates of some nodes, which have a run of two values or more for each feature, and other numbers of cases."""
    listed = [(number, *candidate) for number, node in enumerate(nodes) for candidate in node]
    node, feature, score, bits, many = map(np.array, zip(*listed, strict=True))
    features = tuple(Feature(f"f{number}", "numeric") for number in range(4))
    of_node, of_feature = np.divmod(np.arange(len(nodes) * len(features)), len(features))
    cases = np.array([len(features) + 1 + len(own) for own in nodes])
    size = 2 + (of_feature + cases[of_node]) % len(features)
    end = size.cumsum()
    value, counts = np.concatenate([np.arange(each) for each in size]).astype(float), np.ones((end[-1], 1))
    counts[end - size, 0] += cases[of_node] - size

    def information(numbers: Array) -> Array:
        asked: Array = bits[numbers]
        return asked

    root = state_of_root(parts_with_state(splitters.all_parts([choose])), features)
    frontier = Frontier(0, cases[:, None], inherited_state=root and root[np.zeros(len(nodes), int)])
    key, run = np.array([len(own) for own in nodes], np.uint64)[of_node], len(features) * node + feature
    runs = splitters.Runs(value, counts, end - size, end, of_node, of_feature, features, key, frontier)
    built = (runs, run, lambda number: splitters.cut_after(runs, int(run[number]), int(runs.start[run[number]])))
    return splitters.Candidates(node, feature, score.astype(float), information, many, *built)


@st.composite
def _nodes(draw: DrawFn) -> list[list[_Candidate]]:
    """Candidates of one to three nodes, some without any, in the order of their features; scores and bits are eighths."""
    many = draw(st.lists(st.booleans(), min_size=4, max_size=4))

    def candidate(feature: int) -> Any:
        score, bits = draw(st.integers(0, 8)) / 8, draw(st.integers(0, 16)) / 8
        return feature, score, bits, many[feature]

    some = draw(st.lists(st.sets(st.integers(0, 3)).map(sorted), min_size=1, max_size=3).filter(any))
    return [[candidate(feature) for feature in features] for features in some]


# Tables of nominal values are divided in every way, those of numbers are cut at every place.
_MOST, _MOST_NUMBERS = 7, 20
_VALUES = tuple("abcdefg")


@st.composite
def tables(draw: DrawFn, kinds: Collection[Kind], classes: int | None = None) -> list[Table]:
    """One to three tables, for as many nodes of a level, some of one feature; counts are halves of whole numbers."""
    n_classes = classes or draw(st.integers(1, 3))
    counted = st.lists(st.integers(0, 2) | st.integers(0, 9), min_size=n_classes, max_size=n_classes).filter(any)
    found: list[Table] = []
    for own in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(sorted(kinds)))
        number = draw(st.sampled_from([*(table.number for table in found if table.feature.kind == kind), own]))
        codes = st.sets(st.integers(0, _MOST - 1), min_size=1)
        halves = st.sets(st.integers(-12, 12).map(lambda n: n / 2), min_size=1, max_size=_MOST_NUMBERS)
        close = st.tuples(halves, st.sampled_from([2**30, 2**51])).map(lambda some: {1 + n / some[1] for n in some[0]})
        values = sorted(draw(codes | halves | close if kind == "numeric" else codes))
        feature = Feature(f"f{number}", kind, () if kind == "numeric" else _VALUES)
        counts = draw(st.lists(counted, min_size=len(values), max_size=len(values)))
        found.append(Table(number, feature, list(map(float, values)), np.array(counts) / 2))
    return found


def as_runs(level: Collection[Table]) -> splitters.Runs:
    """The tables as a splitter gets them: one run each."""
    features = [Feature("none", "numeric")] * (1 + max(table.number for table in level))
    for table in level:
        features[table.number] = table.feature
    end = np.cumsum([len(table.values) for table in level])
    start = np.array([0, *end[:-1]])
    number = np.array([table.number for table in level])
    value, counts = np.concatenate([table.values for table in level]), np.concatenate([table.counts for table in level])
    return splitters.Runs(value, counts, start, end, np.arange(len(level)), number, tuple(features), number.astype(np.uint64))
