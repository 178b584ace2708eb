"""Checks for impurities, scores and stopping rules."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.arrays import TIE
from ftree._lib.fields import require_function
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import Impurity, entropy, gini, misclassification
from ftree.criteria.inherited_state import parts_with_state, state_of_root
from ftree.criteria.predicate import StoppingRule, as_rule, ask
from ftree.criteria.scores import Score
from ftree.splitters import all_parts
from ftree.testing.laws import COPIES, MANY, NEAR, ask_again, equal, law, near, trying
from ftree.testing.strategies import frontiers, stopping_rules

_Law: TypeAlias = Literal["absent", "concave", "mixed", "scale", "symmetric"]
# These pairs of nodes show more often than any other that an impurity is not concave.
_CORNERS = [[1, 1], [1, 0]], [[9, 1], [9, 0]], [[16, 0, 0], [20, 2, 2]], [[1, 1, 0], [1, 1, 1]]


def check_impurity(
    impurity: Impurity,
    *,
    n_classes: int | None = None,
    oracle: Callable[[list[float]], float] | None = None,
    exempt: Collection[_Law] = (),
) -> None:
    """Check an impurity: it broadcasts, is never negative, and 0 for pure and empty nodes, and no split raises it.

    The impurity of children is their mean, weighted by cases, which the check computes itself. These laws can be `exempt`:
    "concave": no children are more impure than their parent. "mixed": a node of two classes is impure. "scale": twice or half
    the cases are equally impure. "symmetric": the order of classes does not matter. "absent": empty classes do not matter.

    `oracle` is the formula for one node, from a list of class counts to a number; both must return the same. An impurity that
    exists for a certain number of classes only is asked about nodes of `n_classes`, and is exempt from "absent".

    >>> from ftree import entropy, gini
    >>> check_impurity(lambda counts: entropy(counts) ** 0.5)
    >>> check_impurity(gini, oracle=lambda counts: 1 - sum((n / (sum(counts) or 1)) ** 2 for n in counts) - (not any(counts)))
    """
    require_function("impurity", impurity)

    @trying()
    @given(_nodes(n_classes), st.randoms(use_true_random=False))
    @example((np.array(_CORNERS[0]) @ np.eye(2, n_classes or 2, dtype=int)).tolist(), None)
    @example((np.array(_CORNERS[1]) @ np.eye(2, n_classes or 2, dtype=int)).tolist(), None)
    @example((np.array(_CORNERS[2]) @ np.eye(3, n_classes or 3, dtype=int)).tolist(), None)
    @example((np.array(_CORNERS[3]) @ np.eye(3, n_classes or 3, dtype=int)).tolist(), None)
    def laws(nodes: list[list[int]], random: Any) -> None:
        level = np.asarray(_of_level(impurity, nodes))
        for node, own in zip(nodes, level.tolist(), strict=True):
            _check_value(node, own, exempt)
            _check_alike(impurity, node, own, random, exempt)
            if oracle is not None:
                equal("an impurity is that of the oracle", own, oracle([float(n) for n in node]), counts=node)
        if "concave" not in exempt:
            _check_gain(impurity, nodes, level.tolist())

    ask_again(laws, impurity, lambda own, nodes, **_: own(np.array(nodes, dtype=np.float64)))


def _nodes(n_classes: int | None) -> SearchStrategy[list[list[int]]]:
    """Class counts of 1 to 4 nodes, of 1 to 4 classes, of many, or of so many."""
    return st.sampled_from([1, 2, 3, 4, MANY] if n_classes is None else [n_classes]).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 9) | st.just(40), min_size=k, max_size=k), min_size=1, max_size=4)
    )


def _of_level(impurity: Impurity, nodes: list[list[int]]) -> Any:
    """The impurities of nodes: those of a level, of two levels at once, and of each node by itself."""
    counts = np.array(nodes)
    level = np.asarray(impurity(counts))
    real = counts.astype(np.float64)
    equal("fractions of cases are as impure", impurity(real), level, counts=nodes)
    law("an impurity does not change its counts", (counts == nodes).all() and (real == nodes).all(), got=real, wanted=nodes)
    law("an impurity is one number for each node", level.shape == (len(nodes),), got=level.shape, counts=nodes)
    law("an impurity has double precision", level.dtype != np.float32, got=level.dtype, counts=nodes)
    alone = [float(impurity(np.array(node))) for node in nodes]
    equal("a level's results are its nodes' results", level, alone, counts=nodes)
    stacked = impurity(np.array([nodes, nodes[::-1]] * COPIES, dtype=np.float64))
    equal("counts (..., K) may have any number of axes and nodes", stacked, [alone, alone[::-1]] * COPIES, counts=nodes)
    return level


def _check_value(node: list[int], own: float, exempt: Collection[_Law]) -> None:
    law("an impurity is finite", np.isfinite(own), got=own, counts=node)
    law("an impurity is never negative", own >= 0, got=own, counts=node)
    if np.count_nonzero(node) <= 1:
        equal("the impurity of a pure or empty node is 0", own, 0.0, counts=node)
    elif "mixed" not in exempt:
        law("a node of two classes is impure", own > NEAR, got=own, wanted="above 0", counts=node, exempt="mixed")


def _check_alike(impurity: Impurity, node: list[int], own: float, random: Any, exempt: Collection[_Law]) -> None:
    """Nodes with the same meaning are equally impure."""
    if "scale" not in exempt:
        for times in (2**-4, 3.0, 1e10):
            scaled = [n * times for n in node]
            found = impurity(np.array(scaled))
            equal("nodes with the same shares are equally impure", found, own, counts=scaled, like=node, exempt="scale")
    wider = node if "absent" in exempt else [*node, *[0] * MANY]
    equal("a class without cases does not matter", impurity(np.array(wider)), own, counts=wider, like=node, exempt="absent")
    if "symmetric" not in exempt:
        other = wider[::-1] if random is None else random.sample(wider, len(wider))
        equal("the order of classes does not matter", impurity(np.array(other)), own, counts=other, like=node, exempt="symmetric")


def _check_gain(impurity: Impurity, nodes: list[list[int]], own: list[float]) -> None:
    """The nodes as children of one parent are on average no more impure than it is."""
    parent = [sum(counts) for counts in zip(*nodes, strict=True)]
    sizes = [sum(node) for node in nodes]
    below = sum(size * each for size, each in zip(sizes, own, strict=True)) / (sum(sizes) or 1)
    gain = float(impurity(np.array(parent))) - below
    law("gain is never negative for a concave impurity", gain >= -NEAR, got=gain, children=nodes, exempt="concave")


_ScoreLaw: TypeAlias = Literal["absent", "proportional", "scale", "symmetric"]


def check_score(
    score: Score,
    *,
    n_children: int | None = None,
    n_classes: int | None = None,
    oracle: Callable[[list[list[float]], Impurity], float] | None = None,
    exempt: Collection[_ScoreLaw] = (),
) -> None:
    """Check a score: one number from 0 for each split, alike for a level and for single splits and for any order of children.

    The search relies on further laws. The score is 0 if one child has every case. A child without cases does not matter. The
    score may be -inf, which refuses a split, but is never infinite or NaN otherwise, and it does not change its counts.
    It is never negative, since the search multiplies it by the share of cases whose value is known. `n_children` is for
    scores of splits with exactly that many children, such as `twoing`, and `n_classes` for scores of so many classes.

    Four laws can be `exempt`. "proportional": a split scores 0 if all children have their parent's class shares.
    "symmetric": the order of classes does not matter. "absent": empty classes do not matter, unless `n_classes` is given.
    "scale": where many and more cases of the same shares score the same, few cases do as well.
    `oracle` is the formula for one split, from a list of its children's counts and an impurity to a number.

    >>> from ftree.criteria import gain_ratio, twoing
    >>> check_score(gain_ratio)
    >>> check_score(twoing, n_children=2)
    """
    require_function("score", score)
    exempt = {*exempt, "absent"} if n_classes else exempt

    @trying()
    @given(_levels(n_children, n_classes), st.sampled_from([entropy, gini, misclassification]), st.randoms(use_true_random=False))
    @example(np.array([[[2.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]) @ np.eye(2, n_classes or 2), entropy, None)
    def laws(level: Any, impurity: Any, random: Any) -> None:
        scores = _score_of_level(score, level, impurity)
        for children, own in zip(level, scores.tolist(), strict=True):
            _check_score_value(children, own)
            if oracle is not None:
                equal("a score is that of the oracle", own, oracle(children.tolist(), impurity), children=children)
        _check_scores_alike(score, level, impurity, scores, random, wider=n_children is None, exempt=exempt)

    ask_again(laws, score, lambda own, level, impurity, **_: own(level.copy(), impurity))


def _score_of_level(score: Score, level: Any, impurity: Any) -> Any:
    """The scores of splits: those of a level, of two levels at once, and of each split by itself."""
    counts = level.copy()
    scores = np.asarray(score(counts, impurity))
    law("a score does not change its counts", np.array_equal(counts, level), got=counts, wanted=level)
    law("a score is one number for each split", scores.shape == level.shape[:1], got=scores.shape, children=level)
    law("a score has double precision", scores.dtype != np.float32, got=scores.dtype, children=level)
    alone = [float(score(split, impurity)) for split in level]
    equal("a level's results are its splits' results", scores, alone, children=level)
    stacked = score(np.array([level, level[::-1]] * COPIES), impurity)
    equal("counts (..., V, K) may have any number of axes and splits", stacked, [alone, alone[::-1]] * COPIES, children=level)
    return scores


def _check_score_value(children: Any, own: float) -> None:
    finite = np.isfinite(own)
    law("a score is finite, or -inf for a split that it refuses", finite or own == -np.inf, got=own, children=children)
    law("a score is never negative", not finite or own >= -TIE, got=own, children=children)
    if np.count_nonzero(children.sum(axis=-1)) <= 1:
        law("a split that sends all cases to one child scores 0", own <= TIE, got=own, children=children)


def _check_scores_alike(
    score: Score, level: Any, impurity: Any, scores: Any, random: Any, *, wider: bool, exempt: Collection[_ScoreLaw]
) -> None:
    """Splits with the same meaning have the same score."""

    def same(text: str, other: Any, exempt: str = "") -> None:
        answers = np.asarray(score(other, impurity))
        law(text, near(answers, scores), got=answers, wanted=scores, exempt=exempt, children=other, like=level)

    same("the order of children does not matter", level[:, _order(level.shape[1], random)])
    if wider:
        same("a child without cases does not matter", np.pad(level, ((0, 0), (MANY, 0), (0, 0))))
    padded = level if "absent" in exempt else np.pad(level, ((0, 0), (0, 0), (0, MANY)))
    same("a class without cases does not matter", padded, "absent")
    if "symmetric" not in exempt:
        same("the order of classes does not matter", padded[..., _order(padded.shape[2], random)], "symmetric")
    if "proportional" not in exempt:
        times = np.arange(1, level.shape[1] + 1)[:, None]
        alike = level[:, :1] * times
        told = np.asarray(score(alike, impurity))
        text, held = "children with their parent's class shares score 0", (told <= NEAR).all()
        law(text, held, got=told, wanted=0, exempt="proportional", children=alike)
    if "scale" not in exempt:
        _check_scale(score, level, impurity, scores)


def _check_scale(score: Score, level: Any, impurity: Any, scores: Any) -> None:
    """A score that depends on shares only, as one of a split of many cases shows, always does."""
    usual = 4 + np.eye(*level.shape[1:])
    own = score(usual, impurity)
    for times in (0.01, 3e9) if own > NEAR and near(score(9 * usual, impurity), own) else ():
        told = np.asarray(score(level * times, impurity))
        kept = ~np.isfinite(told) | ~np.isfinite(scores) | np.isclose(told, scores, rtol=NEAR, atol=NEAR)
        text = "few cases score the same as many of the same shares"
        law(text, kept.all(), got=told, wanted=scores, exempt="scale", times=times, children=level)


def _order(size: int, random: Any) -> list[int]:
    return list(range(size)) if random is None else random.sample(range(size), size)


def _levels(n_children: int | None, n_classes: int | None) -> SearchStrategy[Any]:
    """Class counts (n, V, K) of the children of n splits, halves of whole numbers; some children are empty."""
    children = st.sampled_from([*range(1, 7), MANY] if n_children is None else [n_children])
    sizes = st.tuples(st.integers(1, 4), children, st.sampled_from([1, 2, 3, MANY] if n_classes is None else [n_classes]))
    return sizes.flatmap(_counts)


def _counts(shape: tuple[int, ...]) -> SearchStrategy[Any]:
    size = int(np.prod(shape))
    if size > MANY**2 / 2:  # drawing each number would take long
        return st.integers(0, 999).map(lambda seed: np.random.default_rng(seed).integers(0, 10, shape) / 2)
    return st.lists(st.integers(0, 9), min_size=size, max_size=size).map(lambda counts: np.reshape(counts, shape) / 2)


_Figure: TypeAlias = Literal["depth", "weight", "gain"]
# The figures that are tried in order.
_SWEEPS: dict[_Figure, list[float]] = {
    "depth": [*range(10), 20, 99],
    "weight": np.geomspace(0.25, 32, 12).tolist(),
    "gain": np.linspace(0, 2, 12).tolist(),
}
# Gains that differ by less than the first are equal, and those that differ by more than the second are not.
_ROUNDING, _MORE = 1e-12, 1e-6


def check_rule(
    rule: StoppingRule,
    *,
    oracle: Callable[[Frontier], Any] | None = None,
    at: Collection[float] = (),
    rising: Collection[_Figure] = (),
    falling: Collection[_Figure] = (),
) -> None:
    """Check a rule: it returns one boolean for each node, alike for a level and for single nodes, and composes.

    `oracle` is the rule for one node: from the frontier of a single node, with plain numbers, to a boolean.
    `at` are numbers at which the rule changes its result: depths, weights and gains equal or adjacent to them
    are tried as well, and those equal or adjacent to 0. A rule must treat gains as equal that differ only by rounding.

    For a figure in `rising`, a rule that closes a node must close it for every higher figure too, as `max_depth` does for
    "depth"; for a figure in `falling`, for every lower one, as `min_rows` does for "weight".

    >>> from ftree.stop import not_significant, max_depth
    >>> check_rule(max_depth(3) | not_significant(0.05))
    >>> check_rule(max_depth(3), oracle=lambda node: node.depth >= 3, at=[3], rising={"depth"})
    """
    require_function("rule", rule)

    drawn = frontiers().map(partial(_with_state, rule))

    @trying()
    @given(drawn, stopping_rules(), st.sampled_from([None, 0, *at]), st.sampled_from([*rising, *falling, None]))
    def laws(frontier: Frontier, other: StoppingRule, number: float | None, figure: _Figure | None) -> None:
        answers = _answers(rule, frontier, oracle)
        many = ask(rule, _with_state(rule, _repeated(frontier))).tolist()
        equal("a large level's results are its nodes' results", many, answers * COPIES, frontier=frontier)
        _check_composed(rule, other, frontier, answers)
        if number is not None:
            for near in _placed(frontier, number):
                _answers(rule, near, oracle)
            for gain in (number, number / frontier.weight):  # of a case, of all cases
                _check_rounding(rule, frontier, gain)
        if figure is not None:
            _check_order(rule, frontier, figure, rises=figure in rising)

    ask_again(laws, rule, lambda own, frontier, **_: ask(own, _with_state(own, frontier)).tolist())


def _with_state(rule: StoppingRule, frontier: Frontier) -> Frontier:
    """The frontier with the inherited state of a rule at the root in each node."""
    root = state_of_root(parts_with_state(all_parts([rule])), ())
    return evolve(frontier, inherited_state=root and root[np.zeros(len(frontier.counts), int)])


def _repeated(frontier: Frontier) -> Frontier:
    """A level with copies of each node."""
    figures = ("impurity", 1), ("gain", 1), ("n_children", 1), ("scores", 1), ("counts", 2), ("child_counts", 2)
    repeated: Any = {name: np.tile(getattr(frontier, name), (COPIES, 1)[:axes]) for name, axes in figures}
    return evolve(frontier, splits=frontier.splits * COPIES, **repeated)


def _answers(rule: StoppingRule, frontier: Frontier, oracle: Callable[[Frontier], Any] | None) -> list[bool]:
    """The rule's results for a level, which equal those for its nodes and those of the oracle."""
    answers: list[bool] = ask(rule, frontier).tolist()
    for node, own in zip(frontier.nodes(), answers, strict=True):
        equal("a level's results are its nodes' results", own, bool(ask(rule, node)), node=node, frontier=frontier)
        if oracle is not None:
            equal("a rule closes what the oracle closes", own, bool(oracle(node)), node=node)
    return answers


def _check_composed(rule: StoppingRule, other: StoppingRule, frontier: Frontier, own: list[bool]) -> None:
    """The operators give what Python's `not`, `or` and `and` of the results give."""
    theirs, one = ask(other, frontier).tolist(), as_rule(rule)
    pairs = list(zip(own, theirs, strict=True))
    for text, composed, wanted in (
        ("not a rule closes the other nodes", ~one, [not mine for mine in own]),
        ("rules joined by | close what either closes", one | other, [mine or its for mine, its in pairs]),
        ("rules joined by & close what both close", one & other, [mine and its for mine, its in pairs]),
    ):
        equal(text, ask(composed, frontier).tolist(), wanted, rule=composed, frontier=frontier)


def _placed(frontier: Frontier, number: float) -> Iterator[Frontier]:
    """The frontier with a depth, gains and weights equal or adjacent to a number."""
    for depth in {int(number) - 1, int(number), int(number) + 1} - {-1}:
        yield evolve(frontier, depth=depth)
    for gain in (number - _MORE, number, number + _MORE):
        yield _with("gain", frontier, gain)
    if number > 0:
        yield from (_with("weight", frontier, weight) for weight in (number / 2, number, number + 0.5))


def _with(figure: _Figure, frontier: Frontier, value: Any) -> Frontier:
    """The frontier whose nodes all have this figure."""
    if figure == "depth":
        return evolve(frontier, depth=int(value))
    if figure == "gain":
        return evolve(frontier, gain=np.full(frontier.shape, value))
    times = value / frontier.weight[:, None]
    of_children = np.repeat(times, frontier.n_children, axis=0)
    return evolve(frontier, counts=frontier.counts * times, child_counts=frontier.child_counts * of_children)


def _check_rounding(rule: StoppingRule, frontier: Frontier, gain: Any) -> None:
    exact = ask(rule, _with("gain", frontier, gain)).tolist()
    for other in (gain - _ROUNDING, gain + _ROUNDING):
        rounded = ask(rule, _with("gain", frontier, other)).tolist()
        equal("a rule treats gains as equal that differ only by rounding", rounded, exact, gain=other, like=gain)


def _check_order(rule: StoppingRule, frontier: Frontier, figure: _Figure, *, rises: bool) -> None:
    values: Any = _SWEEPS[figure]
    answers = [ask(rule, _with(figure, frontier, value)).tolist() for value in values]
    for node, closed in enumerate(zip(*answers, strict=True)):
        way = "rises" if rises else "falls"
        ordered = list(closed) == sorted(closed, reverse=not rises)
        law(f"the rule {way} with {figure}", ordered, got=list(closed), **{str(figure): values}, node=frontier[node])
