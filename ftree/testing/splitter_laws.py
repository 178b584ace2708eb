"""Checks for splitters of one feature, and the tables that they draw; checks for choices between features."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import product
from math import ceil
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ftree import splitters
from ftree._lib.arrays import TIE, Array, midpoint
from ftree._lib.fields import require_function
from ftree._lib.messages import short_repr
from ftree.criteria.frontier import Nodes
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.inherited_state import parts_with_state, state_of_root
from ftree.criteria.scores import gain
from ftree.testing.laws import check_laws, check_stateless, equal, law, require_exempt, same
from ftree.tree.schema import Feature, Kind
from ftree.tree.splits import Intervals, Subset, Threshold
from ftree.tree.splits.split import Split, child_of

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
    the lowest. "midway": cuts are midway between adjacent values. `n_classes` is for a splitter that works only with that many
    classes.

    `oracle` gives the right result: from a `Table` and the measure to the score and the split, or None if there is no split.

    >>> from ftree.splitters import threshold
    >>> check_splitter(threshold())
    """
    if not splitters.is_splitter(splitter):
        raise TypeError(f"splitter must be a splitter of single features, such as threshold(), got {short_repr(splitter)}.")
    require_exempt(exempt, _Law)

    def laws(level: list[Table], impurity: Any) -> None:
        measure = partial(_rounded_gain, impurity)
        found = _check_level(splitter, level, measure)
        for table, answer in zip(level, found, strict=True):
            _check_answer(table, answer, measure, exempt)
            if oracle is not None:
                _check_oracle(table, answer, oracle(table, measure) or (-np.inf, None))

    def laws_of_many_rows(level: list[Table]) -> None:
        measure, times = partial(gain, impurity=entropy), ceil(_MANY_ROWS / sum(len(table.values) for table in level))
        few, many = (_answers(splitter(as_runs(tables), measure), len(tables)) for tables in (level, level * times))
        equal("a large level's scores are its tables' scores", [score for score, _ in many], [score for score, _ in few * times])
        for table, own, last in zip(level, few, many[-len(level) :], strict=True):
            same("a large level's splits are its tables' splits", _split_of(last), _split_of(own), table=table)

    answer = lambda own, level, impurity: own(as_runs(level), partial(gain, impurity=impurity)).score  # noqa: E731  # short
    drawn = tables(splitter.kinds, n_classes)
    check_stateless(splitter, laws, answer, level=drawn, impurity=st.sampled_from([entropy, gini]))
    check_laws(laws_of_many_rows, fewer=10, level=drawn)
    if "best" not in exempt and "numeric" in splitter.kinds:
        _check_many_values(splitter, n_classes or 2)


# The score of a run, and its split with the children's counts; None if there is none.
_Answer: TypeAlias = "tuple[float, tuple[Split, Array] | None]"


def _answers(found: splitters.BestSplits, n: int) -> list[_Answer]:
    """The answers of so many runs."""
    scores = np.asarray(found.score, dtype=np.float64).tolist()
    equal("a splitter has one score for each run", len(scores), n)
    right = all(np.isfinite(score) or score == -np.inf for score in scores)
    law("a score is finite, or -inf if there is no split", right, got=scores)
    return [(score, None if score == -np.inf else found.build(run)) for run, score in enumerate(scores)]


def _split_of(answer: _Answer) -> Split | None:
    return answer[1] and answer[1][0]


def _check_level(splitter: splitters.Splitter, level: list[Table], measure: splitters.Measure) -> list[_Answer]:
    """The answers of a level, which are those of its tables by themselves."""
    runs, untouched = as_runs(level), as_runs(level)
    answers = _answers(splitter(runs, measure), len(level))
    kept = np.array_equal(runs.value, untouched.value) and np.array_equal(runs.counts, untouched.counts)
    law("a splitter does not change its runs", kept, got=runs.counts, wanted=untouched.counts, level=level)
    for table, answer in zip(level, answers, strict=True):
        (alone,) = _answers(splitter(as_runs([table]), measure), 1)
        equal("a level's scores are its tables' scores", answer[0], alone[0], table=table)
        same("a level's splits are its tables' splits", _split_of(answer), _split_of(alone), table=table)
    return answers


def _check_oracle(table: Table, answer: _Answer, wanted: "tuple[float, Split | None]") -> None:
    equal("a score is that of the oracle", answer[0], wanted[0], table=table)
    same("a split is that of the oracle", _split_of(answer), wanted[1], table=table)


def _check_many_values(splitter: splitters.Splitter, n_classes: int) -> None:
    """Of many cuts, the one that divides all cases without an error is found, also where it lies between neighbouring floats."""
    order, measure, ends = np.arange(_MANY_VALUES), partial(gain, impurity=entropy), range(3, _MANY_VALUES, 19)
    feature, values = Feature("x", "numeric"), (1 + order * np.finfo(float).eps).tolist()
    level = [Table(0, feature, values, _MANY_CASES * np.eye(n_classes)[(order >= end) * (n_classes - 1)]) for end in ends]
    for table, end, (score, built) in zip(level, ends, _answers(splitter(as_runs(level), measure), len(level)), strict=True):
        law("a table of two values has a split", built is not None, exempt="best")
        (split, counts), cut = cast("tuple[Split, Array]", built), list(table.cuts())[end - 1]
        reached = not isinstance(split, Threshold) or score >= measure(table.children(cut)) - TIE
        law(f"of {_MANY_VALUES} values, no other cut scores higher", reached, got=split, wanted=cut, exempt="best")
        equal("a splitter's counts are those of its children", counts, table.children(split), split=split)


def _rounded_gain(impurity: Any, children: Any) -> Any:
    """The gain, with an error that rises with the cases of the first child: of equal cuts, exact comparison takes the last."""
    return gain(children, impurity) + 1e-13 * np.asarray(children)[..., 0, :].sum(axis=-1)


def _check_answer(table: Table, answer: _Answer, measure: splitters.Measure, exempt: Collection[_Law]) -> None:
    score, built = answer
    if built is not None:
        split, counts = built
        _check_split(table, split, counts)
        _check_cuts(table, split, exempt)
        if "score" not in exempt:
            text = "a score is the measure of the children"
            equal(text, score, measure(counts), exempt="score", table=table, split=split)
    if "best" not in exempt:
        found = built is not None or len(table.values) < 2  # noqa: PLR2004  # as it says
        law("a table of two values has a split", found, exempt="best", table=table)
        _check_best(table, score, _split_of(answer), measure)


def _check_split(table: Table, split: Split, counts: Array) -> None:
    """The split is of the table's feature, and its counts are those of its children, two of which have cases."""
    law("a split is of its run's feature", tuple(split.features) == (table.number,), got=split, table=table)
    children = table.children(split)
    equal("a splitter's counts are those of its children", counts, children, table=table, split=split)
    law("two children have cases", (children.sum(axis=1) > 0).sum() > 1, got=children, table=table, split=split)


def _check_cuts(table: Table, split: Split, exempt: Collection[_Law]) -> None:
    cuts = (split.at,) if isinstance(split, Threshold) else split.cuts if isinstance(split, Intervals) else ()
    if "midway" not in exempt:
        right = [cut.at for cut in table.cuts()]
        law("cuts are midway between adjacent values", {*cuts} <= {*right}, got=cuts, wanted=right, exempt="midway", table=table)


def _check_best(table: Table, score: float, split: Split | None, measure: splitters.Measure) -> None:
    """No other cut or division in two of the same kind scores higher; of equal cuts it is the lowest."""
    candidates = table.cuts() if isinstance(split, Threshold) else table.divisions() if isinstance(split, Subset) else ()
    for other in candidates:
        children = table.children(other)
        reached = float(measure(children))
        given: dict[str, Any] = {"got": score, "wanted": reached, "exempt": "best", "other": other, "table": table}
        law("no other candidate scores higher", reached <= score + TIE, **given)
        if isinstance(split, Threshold) and children[0].sum() < table.children(split)[0].sum():  # it is lower
            law("of equal cuts the lowest is best", reached < score - TIE / 2, **given)


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
    number = np.array([table.number for table in level])
    return splitters.Runs(
        value=np.concatenate([table.values for table in level]),
        counts=np.concatenate([table.counts for table in level]),
        size=np.array([len(table.values) for table in level]),
        node=np.arange(len(level)),
        feature=number,
        features=tuple(features),
        key=number.astype(np.uint64),
    )


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

    def laws(nodes: list[list[_Candidate]]) -> None:
        level = _level(choose, nodes)
        scores = level.score.copy()
        figures = np.asarray(choose(level))
        same("a choice does not change the scores", level.score, scores)
        equal("a choice has one figure for each candidate", figures.shape, scores.shape, candidates=nodes)
        law("a figure is finite, or -inf", (np.isfinite(figures) | (figures == -np.inf)).all(), got=figures, candidates=nodes)
        ends = np.cumsum([len(node) for node in nodes])
        for node, own in zip(nodes, np.split(figures, ends[:-1]), strict=True):
            if node:
                equal("a level's figures are its nodes' figures", own, choose(_level(choose, [node])), candidates=node)
            if node and oracle is not None:
                equal("figures are those of the oracle", own, oracle(node), candidates=node)

    check_stateless(choose, laws, lambda own, nodes: own(_level(own, nodes)), nodes=_nodes())


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
    frontier = Nodes(0, cases[:, None], inherited_state=root and root[np.zeros(len(nodes), int)])
    key, run = np.array([len(own) for own in nodes], np.uint64)[of_node], len(features) * node + feature
    of_nodes: Any = {"node": of_node, "key": key, "frontier": frontier}
    runs = splitters.Runs(value=value, counts=counts, size=size, feature=of_feature, features=features, **of_nodes)
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
