"""Hypothesis strategies for frontiers, stopping rules, policies and pruning passes."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ftree import prune, stop
from ftree.criteria import scores
from ftree.criteria.frontier import Frontier, Nodes
from ftree.criteria.impurity import dkm, entropy, gini, misclassification
from ftree.criteria.predicate import StoppingRule, all_of, any_of, not_
from ftree.linear import perceptrons
from ftree.missing import as_branch, as_value, heaviest, ignore, surrogates
from ftree.policy import Policy
from ftree.splitters import intervals, logistic, merging, multiway, oblique, one_value, random_threshold, subset, threshold
from ftree.splitters.combine import per_feature, random_features
from ftree.testing.strategies import datasets
from ftree.tree.schema import Schema
from ftree.tree.splits import Multiway

# All but those of two children, and parts of others.
SCORES = (
    *(scores.gain, scores.gain_ratio, scores.pearson, scores.significance, scores.g_significance),
    *(scores.normalised_gain, scores.likelihood_ratio, scores.hellinger),
)


@st.composite
def frontiers(draw: DrawFn) -> Frontier:
    """Frontiers of up to four nodes, each with a split of two or three children, and without empty nodes.

    >>> from hypothesis import find
    >>> find(frontiers(), lambda frontier: True).depth >= 0
    True
    """
    n_classes, absent = draw(st.sampled_from([2, 3, 1, 3, 4, 1])), draw(st.sampled_from([0, 0, 3]))
    counted = st.lists(st.integers(0, 1) | st.integers(0, 6), min_size=n_classes, max_size=n_classes).filter(any)
    counted |= counted.map(lambda counts: [n * (n == max(counts)) for n in counts])  # some children are of one class
    families = draw(st.lists(st.lists(counted, min_size=2, max_size=3), min_size=draw(st.sampled_from([1, 3])), max_size=4))
    # Nodes of one level differ much in size, so that a rule that compares them is seen; some have fractions of cases.
    times = st.sampled_from([1, 1, 1, 0.03125, 0.25, 0.75, 12, 200])
    child_counts = [np.pad(children, ((0, 0), (absent, 0))) * draw(times) for children in families]
    counts = np.array([children.sum(axis=0) for children in child_counts])
    nodes = Nodes(draw(st.integers(0, 8) | st.integers(9, 99)), counts, entropy(counts))
    made = tuple(Multiway(0, range(len(children))) for children in child_counts)
    scores = np.array(draw(st.lists(st.integers(-8, 8), min_size=len(made), max_size=len(made)))) / 8
    return nodes.with_splits(made, child_counts, entropy, scores=scores)


def stopping_rules() -> SearchStrategy[StoppingRule]:
    """All stopping rules of the library except `max_leaves`, which is about whole trees; and compositions of rules.

    >>> from hypothesis import find
    >>> callable(find(stopping_rules(), lambda rule: True))
    True
    """
    small = st.integers(0, 6)
    simple = st.one_of(
        st.sampled_from([stop.never, stop.pure(), stop.no_gain()]),
        *map(small.map, (stop.max_depth, stop.min_rows, stop.min_best_child, stop.min_errors)),
        st.builds(stop.min_impurity_decrease, st.sampled_from([0.0, 0.05, 0.25]), cases=st.integers(0, 12)),
        st.sampled_from([0.0, 0.1, 0.5]).map(stop.min_gain),
        st.sampled_from([0.01, 0.05, 0.5]).map(lambda alpha: stop.not_significant(alpha=alpha)),
        small.map(lambda depth: stop.per_node(stop.max_depth(depth))),
    )
    several = lambda inner: inner.map(not_) | st.builds(any_of, inner, inner) | st.builds(all_of, inner, inner)  # noqa: E731  # short
    # By itself, a recursive strategy draws one simple rule in ten.
    return simple | st.recursive(simple, several, max_leaves=4)


def policies() -> SearchStrategy[Policy]:
    """Policies made from the library's impurities, scores, splitters, rules and missing-value policies, for any table.

    It excludes parts that are about certain features, two classes, or a target without classes, and other choices between
    features than by score.

    >>> from hypothesis import find
    >>> type(find(policies(), lambda policy: True)).__name__
    'Policy'
    """
    some = st.sampled_from
    splits = [
        (multiway(), threshold()),
        (multiway(empty=True), threshold(mdl=True)),
        (subset(), threshold(at="observed")),
        (one_value(), random_threshold(seed=1)),
        (random_features(1, (subset(exact=0), threshold(min_cases=2)), seed=1),),
        (per_feature({}, otherwise=(multiway(min_cases=2), threshold())),),
        (multiway(), threshold(), oblique()),
        (subset(), oblique(by=perceptrons())),
        (threshold(), oblique(by=logistic())),
        (merging(),),
        (merging(alpha_merge=0.9, alpha_split=1, alpha_resplit=0.8, bonferroni=False), oblique()),
        (multiway(), intervals()),
    ]
    return st.builds(
        Policy,
        impurity=some([entropy, gini, misclassification, dkm]),
        score=some(SCORES),
        splits=some(splits),
        stop=stopping_rules(),
        missing=some([ignore(), heaviest(), as_value(), as_branch(), surrogates(), surrogates(everywhere=True, min_cases=1)]),
    )


def passes(schema: Schema) -> SearchStrategy[prune.Pass]:
    """All pruning passes of the library for classification trees of a schema, and compositions of passes.

    It excludes passes that do more than prune: subtree raising, and reduced error with labels from other counts.

    >>> from hypothesis import find
    >>> from ftree.datasets import xor
    >>> callable(find(passes(xor().schema), lambda each: True))
    True
    """
    some, build = st.sampled_from, st.builds
    impurities, shares = some([entropy, gini, misclassification]), some([0.01, 0.05, 0.25, 0.5])
    held_out = datasets(schema=schema, min_rows=0, missing=True, weighted=True)
    rules = st.integers(0, 4).map(stop.max_depth) | st.integers(0, 20).map(stop.min_rows)
    simple = st.one_of(
        build(prune.collapse, by=some(["class", "probability", "errors"])),
        build(prune.trim, rules),
        build(prune.trim, st.integers(1, 6).map(stop.max_leaves), impurity=impurities),
        build(prune.reduced_error, held_out, ties=some(["prune", "keep"]), order=some(["bottom_up", "best_first"])),
        build(prune.cost_complexity, some([0.0, 0.01, 0.05, 0.2]), risk=impurities, scale=some(["alpha", "cp"])),
        build(prune.error_based, confidence=shares, collapse=st.booleans(), z=some(["normal", "table"])),
        build(prune.pessimistic),
        build(prune.minimum_error, m=some([None, 0, 1.5, 20])),
        build(prune.critical_value, some([0, 0.1, 3]), score=some(SCORES[:3]), impurity=impurities),
        build(prune.chi_squared, shares),
        build(prune.mdl, value_cost=some([None, 0, 5])),
        build(prune.purity, some([0.5, 0.75, 1.0])),
        build(prune.snip, some([(), ((),)])),
    )
    return simple | st.lists(simple, max_size=3).map(lambda several: prune.compose(*several))
