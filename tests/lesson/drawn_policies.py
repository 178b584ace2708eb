"""Policies that the builder's page computes, with every option of every part drawn, and tables for them."""

import numpy as np
from attrs import evolve
from hypothesis import strategies as st

from ftree import C45, CART, ID3, Dataset, Feature, entropy, gain, gain_ratio, gini, misclassification, missing, scores, stop
from ftree import datasets as ready
from ftree._lib.arrays import TIE
from ftree.criteria import variance
from ftree.splitters import by_gain_ratio, by_score, c45_min_branch, multiway, subset, threshold
from ftree.testing import datasets

SHARES, SMALL = st.floats(0, 1), st.integers(0, 6)
FEWEST = st.builds(c45_min_branch, least=SMALL, most=st.integers(0, 30))
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
    stop.min_impurity_decrease: {"least": SHARES, "cases": st.integers(0, 20)},
    stop.max_depth: {"limit": SMALL},
    stop.min_rows: {"n": SMALL},
    stop.min_best_child: {"n": SMALL},
    stop.not_significant: {"alpha": SHARES | st.just(1.0)},
}
PREDICTIONS = {missing.all_routes: {}, missing.weighted: {}, missing.heaviest: {}, missing.stop_here: {}}
RULES_OF_PREDICTION = [rule() for rule in PREDICTIONS]
DIVISIONS = {missing.ignore: {"predict": st.sampled_from(RULES_OF_PREDICTION)}, missing.heaviest: {}}
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

# Tables that are rarely drawn, and in which one rule decides; each with a policy that has it.
DAYS = ready.weather()
GAIN_OF_DAYS = scores(DAYS).rows[0].gain
PAIRS = Dataset.from_columns(
    {
        "same": [0.0] * 12,
        "pair": [*"aabbccddeeff"],
        "rare": [*"ttffffffffff"],
        "even": [*"110010100110"],
        "class": [*"yyyynnynynyn"],
    }
)
THIRDS = Dataset.from_columns(
    {"f": [*"aaabbbbbb", None, None, None], "x": [0.0] * 9 + [1.0] * 3, "class": [*"pppqqqqqqqqq"]}, kinds={"f": "nominal"}
)
SIXTY = Dataset.from_columns({"x": np.arange(60.0), "class": [*"aaaa", *"ba" * 28]})
FOUR = Dataset.from_columns({"x": [*"aabbccdd"], "class": [*"ppqqrrss"]})
RARE = {
    "the least cases of a child are a tenth of the mean class, which is 3": (SIXTY, C45),
    "they are the larger of two limits": (
        SIXTY,
        evolve(ID3, splits=(multiway(), threshold(min_cases=c45_min_branch(5, most=2)))),
    ),
    "three thirds are a case": (THIRDS, evolve(ID3, splits=(multiway(), threshold(min_cases=1)))),
    "pairs have so many values that they are not in the mean gain, so rare ones are not below it": (PAIRS, C45),
    "no feature is in the mean gain, so no split is made": (PAIRS.keep_columns(["same", "pair"]), C45),
    "two features divide alike, and the gain of the second is larger by a rounding error": (
        Dataset.from_columns({"one": [*"bbaccaab"], "other": [*"bbcaaccb"], "class": [*"11110010"]}),
        ID3,
    ),
    "no number lies between two values": (Dataset.from_columns({"x": [1.0, 1 + 2.0**-52, 1 + 2.0**-51], "class": [*"pqp"]}), ID3),
    "two values have no finite sum": (Dataset.from_columns({"x": [1.2e308, 1.6e308], "class": [*"pq"]}), ID3),
    "the middle of two values is one that other nodes have": (
        Dataset.from_columns({"f": [*"aaaabbbbbbbb"], "x": [0.0, 0.0, 2.0, 2.0] + [1.0] * 8, "class": [*"ppqqrrrrrrrr"]}),
        evolve(ID3, splits=(multiway(), threshold(at="observed"))),
    ),
    "a missing value is none of the values": (
        Dataset.from_columns({"x": [-1.0, -1.0, 3.0, 3.0, None], "class": [*"ppqqp"]}),
        evolve(ID3, splits=(multiway(), threshold(at="observed"))),
    ),
    "there are more values than fit into a byte": (
        Dataset.from_columns({"x": np.arange(129.0), "class": [*"p" * 128, "q"]}),
        ID3,
    ),
    "divisions in two are equally good": (FOUR, CART),
    "all divisions of as many values as the limit are tried": (FOUR, evolve(CART, splits=(subset(exact=4), threshold()))),
    "the values are put in order by each class": (
        Dataset.from_columns({"x": [*"aaaabbbbccccdddd"], "class": [*"pqqqprrrpqqqprrr"]}),
        evolve(CART, splits=(subset(exact=0), threshold())),
    ),
    "three classes have no best order": (Dataset.from_columns({"x": [*"abcd" * 3], "class": [*"pqrpqrrpqprq"]}), CART),
    "the first of two equally heavy children is the heaviest": (
        Dataset.from_columns({"x": [*"aabb", None], "class": [*"ppqqp"]}),
        evolve(ID3, missing=missing.heaviest()),
    ),
    "a depth is limited": (DAYS, ID3.stopping(stop.max_depth(1))),
    "gains of numbers that differ little tie only if they are large": (
        Dataset.from_columns(
            {"big": [*"aaaabbbb"], "f": [*"aaaaabbb"], "g": [*"aaaaaabb"], "class": [0, 0, 0, 0, 1, 1, 1.00001, 1.00001]}
        ),
        CART,
    ),
    "some children have no cases": (DAYS, evolve(C45, impurity=misclassification)),
    "some nodes lack a class": (ready.lenses(), C45),
    "a gain is less than the least one by a rounding error": (DAYS, ID3.stopping(stop.min_gain(GAIN_OF_DAYS + TIE / 2))),
    "so is a decrease": (DAYS, ID3.stopping(stop.min_impurity_decrease(GAIN_OF_DAYS + TIE / 2, cases=14))),
    "a decrease is that of all cases": (ready.lenses(), ID3.stopping(stop.min_impurity_decrease(0.3, cases=24))),
    "a split of numbers gains exactly nothing": (
        Dataset.from_columns({"x": [0.0, 0.0, 1.0, 1.0], "class": [1.0, 3.0, 1.0, 3.0]}, response="numbers"),
        CART,
    ),
}


# By the small whole numbers of a drawn column, numbers that it has instead: floats without another one in between, and floats
# of which two have no finite sum.
FLOATS = {
    "as they are": lambda number: number,
    "adjacent": lambda number: 1 + number * 2.0**-52,
    "huge": lambda number: number * 4e307,
}


@st.composite
def split_tables(draw, **options):
    """A table, and other rows of it to test with.

    Half of the tables have names, a feature of so many values that the mean gain of `by_gain_ratio` leaves it out.
    """
    data = draw(datasets(min_rows=2, missing=True, weighted=True, **options))
    data = evolve(data, weights=data.weights * 0.25) if draw(st.booleans()) else data
    change = FLOATS[draw(st.sampled_from(list(FLOATS)))]
    data = evolve(data, columns=[change(column) if column.dtype.kind == "f" else column for column in data.columns])
    data = with_names(data, draw(st.integers(1, 3))) if draw(st.booleans()) else data
    rows = draw(st.lists(st.sampled_from(range(len(data))), min_size=1, max_size=len(data)))
    return data, data.take(rows)


def mixed(data):
    """Rows of which each has the values of two others, so that some reach leaves without cases."""
    return evolve(data, columns=[column[::-1] if number % 2 else column for number, column in enumerate(data.columns)])


def with_names(data, rows_of_name):
    """A table with one more feature, each value of which has so many rows that follow each other."""
    codes = np.arange(len(data)) // rows_of_name
    names = Feature("name", "nominal", [f"n{code}" for code in range(codes[-1] + 1)])
    schema = evolve(data.schema, features=(*data.schema.features, names))
    return evolve(data, schema=schema, columns=[*data.columns, codes.astype(np.int8)])


# Rows of which the last ones have a value that no other row has.
SEEN_LATE = Dataset.from_columns(
    {"f": [*"xxxxyyyxy", None], "g": [*"1112122333"], "class": [*"qqqpprrqrq"]}, kinds={"f": "nominal", "g": "nominal"}
)
# Tables, and rows to test with: a third of the values are missing, or some rows reach leaves without cases.
GAPPY = {
    name: (data, mixed(data))
    for name, data in {
        "two classes": ready.with_missing(DAYS, 0.3, seed=0),
        "three classes": ready.with_missing(ready.lenses(), 0.3, seed=0),
        "numbers": ready.with_missing(ready.auto_mpg(numeric=True).head(24), 0.3, seed=0),
    }.items()
} | {
    "leaves without cases": (SEEN_LATE.head(7), SEEN_LATE),
    "other codes": (
        DAYS,
        Dataset.from_columns(
            {name: DAYS[name][3:6] for name in ("outlook", "temperature", "humidity", "windy", "play")}, target="play"
        ),
    ),
}


@st.composite
def pages(draw):
    """What a page is made of: a table of classes or numbers, rows to test with, and a policy."""
    if draw(st.booleans()):
        return *draw(split_tables(response="numbers")), draw(policies(numbers=True))
    return *draw(split_tables()), draw(st.sampled_from(OF_CLASSES) | policies())
