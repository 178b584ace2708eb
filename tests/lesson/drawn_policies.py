"""Policies that the builder's page computes, with every option of every part drawn, and tables for them."""

from attrs import evolve
from hypothesis import assume
from hypothesis import strategies as st

from ftree import C45, CART, ID3, entropy, gain, gain_ratio, gini, misclassification, missing, stop
from ftree.criteria import variance
from ftree.splitters import by_gain_ratio, by_score, c45_min_branch, multiway, subset, threshold
from ftree.testing import datasets

SHARES, SMALL = st.floats(0, 1), st.integers(0, 6)
FEWEST = st.builds(c45_min_branch, least=SMALL, most=st.integers(6, 30))
LEAST = SMALL | st.sampled_from([0.5, 2.5]) | FEWEST
IMPURITIES, SCORES = (entropy, gini, misclassification), (gain, gain_ratio)
# By part, its options with the values that are drawn; None for one that must have its default.
SPLITTERS = {
    multiway: {"empty": st.booleans(), "min_cases": LEAST},
    subset: {"exact": SMALL, "min_cases": LEAST},
    threshold: {"min_cases": LEAST, "mdl": st.booleans(), "at": st.sampled_from(["midpoint", "observed"]), "bins": None},
}
# Growth of numbers refuses the other options of splitters.
OF_NUMBERS = {
    multiway: {"min_cases": SMALL},
    subset: SPLITTERS[subset] | {"min_cases": SMALL},
    threshold: {"min_cases": SMALL, "at": SPLITTERS[threshold]["at"]},
}
CHOICES = {by_score: {}, by_gain_ratio: {"slack": st.sampled_from([0.0, 1e-3, 0.1])}}
RULES = {
    stop.pure: {},
    stop.no_gain: {},
    stop.min_gain: {"bits": SHARES},
    stop.min_impurity_decrease: {"least": SHARES, "cases": st.integers(1, 20)},
    stop.max_depth: {"limit": SMALL},
    stop.min_rows: {"n": SMALL},
    stop.min_best_child: {"n": SMALL},
    stop.not_significant: {"alpha": SHARES},
}
PREDICTIONS = {missing.all_routes: {}, missing.weighted: {}, missing.heaviest: {}, missing.stop_here: {}}
DIVISIONS = {missing.ignore: {"predict": st.sampled_from([rule() for rule in PREDICTIONS])}, missing.heaviest: {}}
PARTS = SPLITTERS | CHOICES | RULES | PREDICTIONS | DIVISIONS | {c45_min_branch: {"least": SMALL, "most": SMALL}}


def drawn(parts):
    """One of some parts, with its options drawn."""
    known = {part: {name: values for name, values in own.items() if values is not None} for part, own in parts.items()}
    return st.one_of([st.builds(part, **own) for part, own in known.items()])


def either(rules):
    """Two rules, of which one or both must hold, or one must not."""
    return st.builds(lambda one, other: one | other, rules, rules) | st.builds(lambda one, other: one & ~other, rules, rules)


def without(parts, *others):
    """Some parts without others."""
    return drawn({part: own for part, own in parts.items() if part not in others})


@st.composite
def policies(draw, *, numbers=False):
    """A policy for classes, or for numbers."""
    rules = without(RULES, stop.not_significant) if numbers else drawn(RULES)
    choose = by_score() if numbers else draw(drawn(CHOICES))
    splitters = OF_NUMBERS if numbers else SPLITTERS
    return evolve(
        ID3,
        impurity=variance if numbers else draw(st.sampled_from(IMPURITIES)),
        score=gain if numbers or choose != by_score() else draw(st.sampled_from(SCORES)),
        splits=(draw(without(splitters, threshold)), draw(without(splitters, multiway, subset))),
        choose=choose,
        stop=(stop.pure() | stop.no_gain()) | draw(rules | either(rules)),
        missing=draw(drawn(DIVISIONS)),
    )


GINI = evolve(CART, missing=missing.ignore(predict="weighted"))
STOPPED = ID3.stopping(stop.max_depth(2) | stop.min_best_child(2) | (stop.min_gain(0.05) & ~stop.min_rows(4)))
RATIO = evolve(ID3, score=gain_ratio, missing=missing.heaviest(), splits=(multiway(min_cases=2), threshold(min_cases=1)))
STRICT = stop.not_significant(0.2) | stop.min_impurity_decrease(0.01, cases=9)
SIGNIFICANT = evolve(ID3, impurity=misclassification).stopping(STRICT)
OF_CLASSES = [ID3, C45, GINI, STOPPED, RATIO, SIGNIFICANT]


@st.composite
def split_tables(draw, **options):
    """A table, and other rows of it to test with."""
    data = draw(datasets(**options))
    assume(len(data) > 1)
    numbers = range(len(data))
    rows = draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=len(data)))
    return data, data.take(rows)
