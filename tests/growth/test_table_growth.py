"""Growth on tables of any kinds by the native library: the trees of the definition, whatever the features and the measure."""

import numpy as np
import pytest
from attrs import evolve
from c_functions import tsallis
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sizes import QUEUES, always_idle, sized

import ftree
from ftree import (
    C45,
    CART,
    CHAID,
    ID3,
    Branch,
    Dataset,
    Feature,
    Policy,
    Schema,
    c45_policy,
    gain,
    gain_ratio,
    grow,
    n_leaves,
    predict_counts,
)
from ftree._lib.machine import ThreadPool
from ftree.criteria import compiled_impurity, entropy, gini, misclassification
from ftree.growth import by_definition, search_settings
from ftree.growth.depth_first.table_columns import table_columns
from ftree.growth.depth_first.what_c_knows import known_limits, knows_table
from ftree.growth.given_table import fitting_limits, prepared_table
from ftree.missing import surrogates
from ftree.responses import events
from ftree.splitters import by_gain_ratio, by_score, c45_min_branch, multiway, one_value, random_features, subset, threshold
from ftree.stop import max_depth, min_best_child, min_errors, min_gain, min_rows, never, no_gain, pure
from ftree.tree import preorder

# Tables ----------------------------------------------------------------------------------------------------------------

# Codes and numbers of a column: of few and of many values, next to each other, far apart, all alike.
COLUMNS = {
    "words": lambda random, n: random.integers(0, random.integers(1, 8), n),
    "ranks": lambda random, n: random.integers(0, 5, n),
    "few": lambda random, n: random.integers(0, 6, n) / 2,
    "whole": lambda random, n: random.integers(0, 600, n) * 1.0,
    "normal": lambda random, n: random.normal(size=n),
    "single": lambda random, n: random.normal(size=n).astype(np.float32).round(1),
    "extremes": lambda random, n: random.choice([-1.7e308, -5e-324, -0.0, 0.0, 5e-324, 1.7e308], n),
    "neighbours": lambda random, n: 1 + random.integers(0, 9, n) * 2.0**-52,
    "alike": lambda _, n: np.ones(n),
}
KINDS = {"words": "nominal", "ranks": "ordinal"}
WEIGHTS = {
    "none": lambda *_: None,
    "whole": lambda random, n: np.append(random.integers(0, 4, n - 1), 1),
    "fractions": lambda random, n: random.random(n) + 0.1,
}
# Exposures that are alike or differ. Of waiting times, those of a node are often on a finer grid than those of the root.
YEARS = {
    "alike": lambda _, n: np.ones(n),
    "tenths": lambda random, n: random.integers(1, 9, n) * 0.1,
    "fractions": lambda random, n: random.random(n) + 0.01,
    "waiting times": lambda random, n: random.exponential(size=n) + 0.01,
    "far apart": lambda random, n: 10.0 ** random.integers(-4, 5, n),
}
seeds = st.integers(0, 2**32)
kinds_of_columns = st.lists(st.tuples(st.sampled_from(sorted(COLUMNS)), st.sampled_from([0.0, 0.0, 0.2])), max_size=4)


def feature_of(number, kind):
    values = range({"words": 7, "ranks": 5}.get(kind, 0))
    return Feature(f"x{number}", KINDS.get(kind, "numeric"), values)


def columns_of(random, n, kinds):
    """Columns of some kinds, of which some cells are missing."""
    for kind, gaps in kinds:
        column = COLUMNS[kind](random, n)
        yield np.where(random.random(n) < gaps, np.nan if column.dtype.kind == "f" else -1, column).astype(column.dtype)


@st.composite
def tables_of_classes(draw, weights=tuple(WEIGHTS), max_rows=90):
    """Tables whose classes depend on the first column, and on chance."""
    random, n, k = np.random.default_rng(draw(seeds)), draw(st.integers(1, max_rows)), draw(st.integers(1, 4))
    kinds = draw(kinds_of_columns)
    columns = list(columns_of(random, n, kinds))
    known = np.argsort(np.argsort(columns[0])) * k // n if columns else 0
    labels = np.where(random.random(n) < draw(st.sampled_from([0.0, 0.7])), known, random.integers(0, k, n))
    schema = Schema([feature_of(number, kind) for number, (kind, _) in enumerate(kinds)], "y", "pqrs"[:k])
    return Dataset(schema, columns, labels, WEIGHTS[draw(st.sampled_from(weights))](random, n))


@st.composite
def regression_tables(draw, max_rows=90):
    """Tables of numbers on a grid, of which some are far from the others."""
    random, n = np.random.default_rng(draw(seeds)), draw(st.integers(1, max_rows))
    kinds = draw(kinds_of_columns)
    step, far = draw(st.sampled_from([1.0, 0.1, 0.37, 1e6])), draw(st.sampled_from([1.0, 1e5, -1e7]))
    numbers = random.integers(0, draw(st.sampled_from([2, 9, 10**3])), n) * step * np.where(np.arange(n), 1.0, far)
    columns = dict(zip([f"x{number}" for number in range(len(kinds))], columns_of(random, n, kinds), strict=True))
    return table_without_classes(kinds, columns, numbers, WEIGHTS[draw(st.sampled_from(["none", "whole"]))](random, n))


@st.composite
def tables_of_events(draw, years=tuple(YEARS), max_rows=90):
    """Tables of events, whole or not, some of them rare, with exposures that are alike or differ; rates may shrink."""
    random, n = np.random.default_rng(draw(seeds)), draw(st.integers(1, max_rows))
    kinds = draw(kinds_of_columns)
    columns = dict(zip([f"x{number}" for number in range(len(kinds))], columns_of(random, n, kinds), strict=True))
    years = YEARS[draw(st.sampled_from(years))](random, n)
    happened = random.poisson(draw(st.sampled_from([0.0, 0.2, 3.0])) * np.sqrt(years)) * draw(st.sampled_from([1.0, 0.37]))
    known = WEIGHTS[draw(st.sampled_from(["none", "whole"]))](random, n)
    response = events("years", shrink=draw(st.sampled_from([1.0, 0.0, 0.3])))
    return table_without_classes(kinds, columns, happened, known, {"years": years}, response)


def table_without_classes(kinds, columns, numbers, weights, exposure=(), response="numbers"):
    target = Dataset.from_columns({"y": numbers, **dict(exposure)}, target="y", response=response)
    features = [feature_of(number, kind) for number, (kind, _) in enumerate(kinds)]
    return evolve(target, schema=evolve(target.schema, features=features), columns=list(columns.values()), weights=weights)


# Policies --------------------------------------------------------------------------------------------------------------


least_cases = st.sampled_from([0, 0, 0.5, 2, 3])
of_numbers = st.builds(threshold, min_cases=least_cases | st.builds(c45_min_branch, least_cases), mdl=st.booleans())
of_names = st.one_of(
    st.builds(multiway, empty=st.booleans(), min_cases=least_cases),
    st.builds(subset, exact=st.sampled_from([10, 0, 3]), min_cases=least_cases),
    st.builds(one_value, min_cases=least_cases),
)
choices = st.just(by_score()) | st.builds(by_gain_ratio, slack=st.sampled_from([0.0, 1e-3, 0.2]))
rules = st.sampled_from(
    [
        *(pure(), pure() | no_gain(), never, max_depth(2) | min_gain(0.1), min_rows(4) | min_best_child(2)),
        *(min_errors(2) | min_gain(0.5 + 1e-9), pure() | min_gain(0.02)),
    ]
)
with_surrogates = st.builds(
    surrogates, at_most=st.sampled_from([5, 1, 0]), min_cases=st.sampled_from([2, 0, 5]), everywhere=st.booleans()
)
missing = st.sampled_from(["ignore", "heaviest", "as_value"]) | with_surrogates


@st.composite
def policies_with_options(draw, n_classes):
    """Policies whose parts have options, with priors, with costs or with neither."""
    weights = st.lists(st.integers(0, 4), min_size=n_classes, max_size=n_classes)
    shares, costs = draw(weights.filter(any)), draw(st.lists(weights, min_size=n_classes, max_size=n_classes))
    altered = draw(st.sampled_from(["nothing", "priors", "costs", "machine code"]))
    own = altered == "machine code"
    return Policy(
        impurity=compiled_impurity(tsallis) if own else draw(st.sampled_from([entropy, gini, misclassification])),
        score=draw(st.sampled_from([gain, gain_ratio])),
        splits=(draw(of_names), draw(of_numbers)),
        choose=draw(choices),
        stop=draw(rules),
        missing=draw(missing),
        priors=np.array(shares) / sum(shares) if altered == "priors" else None,
        costs=np.array(costs) * (1 - np.eye(n_classes)) if altered == "costs" else None,
    )


limited = {"min_cases": least_cases}
# Cases of numbers that are divided are left to NumPy.
regression_policies = st.builds(
    lambda parts, least, stop: evolve(CART, splits=(parts[0], threshold(min_cases=least)), stop=stop, missing=parts[1]),
    st.tuples(st.builds(multiway, **limited), st.just("heaviest"))
    | st.tuples(st.builds(subset, **limited) | st.builds(one_value, **limited), st.just("heaviest") | with_surrogates),
    least_cases,
    st.sampled_from(
        [
            CART.stop,
            pure(),
            never | max_depth(3),
            min_rows(4) | min_best_child(2),
            pure() | min_gain(0.02),
            pure() | min_errors(4),
        ]
    ),
)


def laid_out(dataset, policy):
    """The table as the library takes it; None if it does not know it or the policy."""
    table = prepared_table(dataset, policy).table
    policy = fitting_limits(policy, table)
    settings = search_settings(policy, table)
    limits = known_limits(policy, settings)
    if limits is None or not knows_table(table, policy, settings):
        return None
    return table_columns(table, policy, settings, limits, ThreadPool(1))


# Laws ------------------------------------------------------------------------------------------------------------------

# Where growth changes its way: many values, a call of the library ends, a thread hands over a node.
ways = st.fixed_dictionaries(
    {
        "few": st.sampled_from([254, 3, 0]),
        "table_call": st.sampled_from([1 << 22, 1, 50]),
        "worth_it": st.sampled_from([0, 60]),
        "steps": st.just(0),
        "queue": st.sampled_from(QUEUES),
    }
)
n_threads = st.integers(1, 2)


def check(dataset, policy, way, n_jobs):
    with sized(**way):
        assert laid_out(dataset, policy) is not None
        tree = grow(dataset, policy, engine="compiled", n_jobs=n_jobs)
    wanted = by_definition(dataset, policy)
    assert tree == wanted
    assert repr(tree.root) == repr(wanted.root)


@given(st.data(), tables_of_classes(), ways, n_threads)
def test_the_library_grows_the_trees_of_the_definition(draws, dataset, way, n_jobs):
    policy = draws.draw(policies_with_options(len(dataset.schema.classes)))
    assume(has_cases(dataset, policy))
    check(dataset, policy, way, n_jobs)


def has_cases(dataset, policy):
    """Whether priors and costs give weight to a class of the dataset."""
    try:
        return prepared_table(dataset, policy) is not None and search_settings(policy, dataset) is not None
    except ValueError:
        return False


@given(regression_tables(), regression_policies, ways, n_threads)
def test_the_library_grows_the_regression_trees_of_the_definition(dataset, policy, way, n_jobs):
    check(dataset, policy, way, n_jobs)


@given(tables_of_events(), regression_policies, ways, n_threads)
def test_the_library_grows_the_trees_of_events_of_the_definition(dataset, policy, way, n_jobs):
    assume(laid_out(dataset, policy) is not None)  # a row with a thousand times the mean deviance is left to NumPy
    check(dataset, policy, way, n_jobs)


@given(
    st.data(),
    tables_of_classes() | regression_tables() | tables_of_events(),
    ways,
    n_threads,
    st.integers(1, 4),
    st.integers(0, 99),
)
def test_features_that_a_node_draws_are_those_of_the_definition(draws, dataset, way, n_jobs, n, seed):
    classes = dataset.schema.has_classes
    policy = draws.draw(policies_with_options(len(dataset.schema.classes)) if classes else regression_policies)
    assume(dataset.columns and (not classes or has_cases(dataset, policy)))
    drawing = evolve(policy, splits=(random_features(n, policy.splits, seed=seed),))
    assume(classes or laid_out(dataset, drawing) is not None)  # as above; its surrogates may leave cases of numbers divided
    check(dataset, drawing, way, n_jobs)


@given(
    st.data(), tables_of_classes() | regression_tables() | tables_of_events(), ways, n_threads, st.integers(0, 3), st.booleans()
)
def test_growth_from_a_start_is_that_of_the_definition(draws, dataset, way, n_jobs, depth, backs):
    """The start's branches may ask what the library does not know, and some rows have no answer there."""
    classes = dataset.schema.has_classes
    policy = draws.draw(policies_with_options(len(dataset.schema.classes)) if classes else regression_policies)
    assume(not classes or has_cases(dataset, policy))
    first = evolve(CART if classes else policy, missing=surrogates(everywhere=backs))
    start = by_definition(dataset, first.stopping(max_depth(depth)))
    with sized(**way):
        tree = grow(dataset, policy, start=start, engine="compiled", n_jobs=n_jobs)
    assert tree == by_definition(dataset, policy, start=start)


def test_a_start_with_surrogates_and_the_growth_below_it_keep_theirs():
    dataset, policy = alike(), evolve(CART, missing=surrogates())
    start = grow(dataset, policy.stopping(max_depth(1)), engine="plain")
    assert grow(dataset, policy, start=start, engine="compiled") == grow(dataset, policy, engine="plain")


# Larger tables ---------------------------------------------------------------------------------------------------------


def table(n=300, seed=0, n_classes=3, *, gaps=False):
    """Numbers with many ties, without ties, with few values, a constant, and nominal and ordinal codes."""
    rng = np.random.default_rng(seed)
    tied, free, few = rng.integers(0, 200, n).astype(float), rng.normal(size=n), rng.integers(0, 5, n).astype(float)
    columns = [tied, free, few, np.full(n, 7.0), rng.integers(0, 4, n), rng.integers(0, 5, n), rng.integers(0, 60, n)]
    if gaps:
        gone = rng.random((len(columns), n)) < 0.1
        columns = [np.where(hole, np.nan if c.dtype.kind == "f" else -1, c) for hole, c in zip(gone, columns, strict=True)]
    kinds = ["numeric"] * 4 + ["nominal", "ordinal", "nominal"]
    features = [
        Feature(f"f{i}", kind, range(size)) for i, (kind, size) in enumerate(zip(kinds, [0] * 4 + [4, 5, 60], strict=True))
    ]
    signal = tied / 100 + free + (columns[4] == 2) + rng.normal(size=n)
    return Dataset(Schema(features, "y", range(n_classes)), columns, np.digitize(signal, np.linspace(0, 3, n_classes + 1)[1:-1]))


def alike(n=250, seed=0, *, n_values=6):
    """Columns that mostly agree with each other and miss a fifth of their values."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=n)
    numbers = [np.round(base + rng.normal(size=n), digits) * sign for digits, sign in ((6, 1), (6, -1), (0, 1))]
    codes = [np.digitize(base + rng.normal(size=n), np.linspace(-2, 2, n_values - 1)) for _ in range(3)]
    gone = rng.random((6, n)) < 0.2
    columns = [np.where(hole, np.nan if c.dtype.kind == "f" else -1, c) for hole, c in zip(gone, numbers + codes, strict=True)]
    kinds = ["numeric"] * 3 + ["nominal", "ordinal", "nominal"]
    features = [Feature(f"x{i}", kind, range(n_values) if i > 2 else ()) for i, kind in enumerate(kinds)]
    return Dataset(Schema(features, "y", (0, 1, 2)), columns, np.digitize(base, [-0.5, 0.5]))


def same(dataset, policy, jobs=(1,)):
    """The tree of NumPy, which the library grows too."""
    tree = grow(dataset, policy, engine="plain")
    assert laid_out(dataset, policy) is not None
    for n_jobs in jobs:
        assert grow(dataset, policy, engine="compiled", n_jobs=n_jobs) == tree
    return tree


def weighed(dataset, kind):
    """The same rows with whole weights, with other weights, or without."""
    return evolve(dataset, weights={"none": None, "whole": dataset.weights, "fractions": dataset.weights * 0.3 + 0.1}[kind])


kinds_of_weights = st.sampled_from(["none", "whole", "fractions"])

POLICIES = {
    "C4.5": C45,
    "C4.5 grown out": evolve(C45, stop=never),
    "C4.5, ten cases": c45_policy(10),
    "CART with least sizes": evolve(CART, splits=(subset(min_cases=7), threshold(min_cases=7)), missing="ignore"),
    "CART with costs": evolve(CART, costs=[[0, 3, 1], [1, 0, 1], [2, 1, 0]], missing="heaviest"),
    "ID3 with priors": evolve(ID3, priors=[0.0, 0.2, 0.8]),
}
PRESETS = POLICIES | {
    "ID3": ID3,
    "machine code": evolve(ID3, impurity=compiled_impurity(tsallis)),
    "CART": CART,
    "CART grown out": evolve(CART, stop=never),
    "gain ratio": evolve(ID3, score=gain_ratio),
    "misclassification": evolve(CART, impurity=misclassification, stop=max_depth(6)),
    "gini ratio": evolve(ID3, impurity=gini, score=gain_ratio),
    "heaviest": evolve(ID3, missing="heaviest"),
    "as a value": evolve(CART, missing="as_value"),
    "small leaves": evolve(CART, stop=min_best_child(8), missing="heaviest"),
    "few errors": CART.stopping(min_errors(3)),
    "everywhere": evolve(CART, missing=surrogates(everywhere=True)),
    "numbers only": evolve(CART, splits=(threshold(),), missing=surrogates(everywhere=True)),
    "both": evolve(ID3, splits=(multiway(), threshold()), missing=surrogates()),
}


@pytest.mark.parametrize("policy", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
@pytest.mark.parametrize("weights", ["none", "fractions"])
def test_famous_algorithms_grow_equal_trees_of_many_parts(policy, gaps, weights):
    data = table(200, gaps=gaps)
    with sized(worth_it=60, table_call=50, queue=always_idle):
        same(evolve(data, weights=np.linspace(0.2, 1.7, len(data))) if weights == "fractions" else data, policy)


@pytest.mark.parametrize("splitter", [multiway(), subset(), one_value(), subset(min_cases=9)], ids=repr)
@pytest.mark.parametrize("missing", ["complete", "heaviest", surrogates(at_most=2, everywhere=True)], ids=str)
def test_numbers_of_many_words_grow_equal_trees(splitter, missing):
    """More words than NumPy adds up in one go."""
    random, n = np.random.default_rng(0), 700
    n_words = 299 if missing == "complete" else 64  # surrogates have bits of an integer
    word, rank, size = random.integers(0, n_words, n), random.integers(0, 5, n), random.normal(size=n).round(1)
    numbers = (word % 7 + rank * size + random.normal(size=n)).round(2)
    if missing != "complete":
        word, rank, size = (np.where(random.random(n) < 0.1, gap, each) for gap, each in ((-1, word), (-1, rank), (np.nan, size)))
    kinds = ("nominal", range(n_words)), ("ordinal", range(5)), ("numeric", ())
    target = Dataset.from_columns({"y": numbers}, target="y")
    schema = evolve(target.schema, features=[Feature(f"x{i}", *each) for i, each in enumerate(kinds)])
    for weights in (None, random.integers(1, 4, n)):
        data = evolve(target, schema=schema, columns=[word, rank, size], weights=weights)
        policy = evolve(CART, splits=(splitter, threshold()), missing="ignore" if missing == "complete" else missing)
        if splitter != multiway() or not isinstance(missing, surrogates):  # whose cases are divided
            same(data, policy.stopping(max_depth(6)))


@pytest.mark.parametrize("n_classes", [1, 2, 300])
def test_one_class_and_many_classes_grow_equal_trees(n_classes):
    for policy in (CART, C45):
        same(table(400, n_classes=n_classes), policy)


@pytest.mark.parametrize("splitter", [multiway(), subset(), one_value()], ids=repr)
def test_a_feature_of_thousands_of_values_is_a_column_of_codes(splitter):
    random = np.random.default_rng(0)
    code, schema = random.integers(0, 3000, 4000), Schema([Feature("id", "nominal", range(3000))], "y", range(3))
    same(
        Dataset(schema, [code], (code % 3 + (random.random(4000) < 0.1)) % 3), evolve(ID3, splits=(splitter,), stop=max_depth(4))
    )


def test_what_the_library_does_not_know_is_grown_by_numpy():
    data, complete = table(200, gaps=True), table(200)
    wide = evolve(data, schema=evolve(data.schema, features=(*data.schema.features[:-1], Feature("many", "nominal", range(65)))))
    n = 65_535
    endless = Dataset(Schema([Feature("id", "nominal", range(n))], "y", (0, 1)), [np.arange(n)], np.arange(n) % 2)
    numbers = Dataset.from_columns({"x": [1.0, None, 3.0], "y": [0.5, 1.5, 9.5]}, target="y")
    for dataset, policy in [
        (wide, CART),
        (endless, evolve(ID3, splits=(multiway(),))),
        (numbers, evolve(CART, missing="ignore")),
        (numbers.with_weights([0.5, 1.5, 1.0]), CART),
        (numbers.with_weights([2**44, 1, 1]).with_labels([0.5, 2.0**20, 3.0]), CART),
        (data, CHAID),
        (data, evolve(ID3, stop=~pure())),
        (data, evolve(CART, missing=FollowAll())),
        (complete, evolve(ID3, splits=(multiway(), threshold(min_cases=lambda weight, _: weight / 10)))),
        (complete, evolve(ID3, splits=(multiway(), subset(), threshold()))),
        (complete, evolve(ID3, choose=lambda candidates: candidates.score)),
        (complete, evolve(ID3, score=lambda children, _: children[..., 0, 0])),
        (complete, evolve(ID3, impurity=lambda counts: 2 * gini(counts))),
        (complete, evolve(ID3, priors=[1e-80, 0.5, 0.5])),
    ]:
        assert laid_out(dataset, policy) is None
        assert grow(dataset, policy, engine="compiled") == grow(dataset, policy, engine="plain")
    assert laid_out(wide, ID3) is not None


class FollowAll:
    """Surrogates under another name, as a user's policy would find them."""

    everywhere = False

    def add_surrogates(self, splits, engine, features, with_surrogates):
        return surrogates().add_surrogates(splits, engine, features, with_surrogates)


# Threads and room ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [ID3, CART, C45], ids=["ID3", "CART", "C4.5"])
def test_threads_hand_over_nodes_of_a_large_table(policy, capsys):
    data, policy = table(20_000, gaps=True), policy.stopping(max_depth(6))
    one, two = (grow(data, policy, engine="compiled", n_jobs=n_jobs, progress=True) for n_jobs in (1, 2))
    assert one == two
    assert "open nodes, 100% of the cases done" in capsys.readouterr().err


def test_rows_of_many_gaps_have_many_copies_and_nodes_many_children_and_surrogates():
    """More of each than there is room for at first."""
    random = np.random.default_rng(0)
    codes = np.where(random.random((6, 120)) < 0.6, -1, random.integers(0, 40, (6, 120)))
    schema = Schema([Feature(f"x{number}", "nominal", range(40)) for number in range(6)], "y", (0, 1))
    data = Dataset(schema, list(codes), random.integers(0, 2, 120))
    same(data, evolve(ID3, splits=(multiway(empty=True),), stop=max_depth(3)))
    same(data, evolve(CART, stop=never, missing=surrogates(at_most=5, everywhere=True, min_cases=0)))
    twice = Dataset(evolve(schema, features=schema.features[:2]), [codes[0], codes[0]], random.integers(0, 2, 120))
    same(twice, evolve(ID3, choose=by_gain_ratio(slack=0.0)))  # NumPy decides before there is room


@pytest.mark.parametrize("missing", ["ignore", "heaviest"])
def test_a_node_may_have_more_children_than_rows(missing):
    """The sanitizers see what is written beyond the room for rows."""
    schema = Schema([Feature("x", "nominal", range(200))], "y", (0, 1))
    data = Dataset(schema, [np.array([0, 1, -1])], np.array([0, 1, 0]))
    same(data, evolve(ID3, splits=(multiway(empty=True),), missing=missing))


def test_rows_of_weight_zero_are_as_good_as_absent():
    for gaps in (False, True):
        data, weights = table(gaps=gaps), np.random.default_rng(1).integers(0, 3, 300)
        weighted = evolve(data, weights=weights)
        assert same(weighted, ID3) == same(weighted.take(weights > 0), ID3)


# Choices that are close ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [ID3, CART, evolve(ID3, choose=by_gain_ratio(slack=0.0))], ids=["ID3", "CART", "no slack"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weights", ["none", "fractions"])
def test_features_as_good_as_each_other_are_told_apart(policy, n_classes, weights):
    """Each column twice, and reversed: without slack, their gain is the mean, except for rounding."""
    data = table(n_classes=n_classes, gaps=True)
    upside_down = [9 - column for column in data.columns[:3]]
    features = [*data.schema.features, *data.schema.features, *data.schema.features[:3]]
    named = [evolve(feature, name=f"f{number}") for number, feature in enumerate(features)]
    schema, columns = Schema(named, "y", data.schema.classes), [*data.columns, *data.columns, *upside_down]
    some = np.random.default_rng(3).random(300) + 0.1 if weights == "fractions" else None
    same(Dataset(schema, columns, data.target_column, some), policy)


# Ways to divide rows into halves: by values of their own, by codes, by listed values.
HALVES = {
    "lane": (Feature("x", "numeric"), np.arange(300.0)),
    "codes": (Feature("x", "numeric"), np.arange(300) // 75 * 1.0),
    "subset": (Feature("x", "nominal", range(4)), np.arange(300) // 75),
    "multiway": (Feature("x", "nominal", range(4)), np.arange(300) // 75),
}


@pytest.mark.parametrize("way", HALVES)
@pytest.mark.parametrize("off", [-0.1, -5e-13, 0, 5e-13, 0.1])
@pytest.mark.parametrize("missing", ["ignore", "heaviest", surrogates()], ids=str)
def test_numpy_decides_whether_a_gain_is_the_least_one(way, off, missing):
    """A gain within a tie of the least one is as good."""
    feature, column = HALVES[way]
    column = np.where(np.arange(300) % 75 == 7, np.nan if column.dtype.kind == "f" else -1, column)
    schema, levels = Schema([feature, evolve(feature, name="z")], "y", (0, 1)), []
    policy = evolve(CART, splits=(multiway() if way == "multiway" else subset(), threshold()), stop=max_depth(2), missing=missing)
    for labels in (np.arange(300) < 150, np.arange(300) // 75 % 2):
        data = Dataset(schema, [column, column], labels.astype(int))
        grow(data, policy, trace=levels.append)
        for level in levels[:-1]:
            same(data, policy.stopping(min_gain(max(0, level.gain[0] + 1e-9 + off))))


@given(
    regression_tables() | tables_of_classes(["none", "fractions"]),
    st.integers(-3, 3),
    st.sampled_from(["heaviest", surrogates()]),
)
@settings(max_examples=150)  # few gains are rounded to another side in C than in NumPy
def test_numpy_decides_whether_a_gain_of_any_table_is_the_least_one(data, ulps, missing):
    """The share of known cases is a factor in C; NumPy divides by all cases, and has another logarithm.

    Weights are rounded as they are at the root.
    """
    classes, levels = data.schema.has_classes, []
    policy = evolve(CART, missing=missing, impurity=entropy if classes else gini, stop=max_depth(2))
    grow(data, policy, engine="plain", trace=levels.append)
    for found in (each for level in levels[:-1] for each in level.gain[level.open].tolist() if each <= levels[0].gain[0]):
        least = max(0.0, found) + 1e-9 if classes else found / (1 - 1e-9)  # gains within a tie of the least one are as good
        same(data, policy.stopping(min_gain(max(0.0, least + ulps * float(np.spacing(least))))))


@pytest.mark.parametrize("off", [-0.1, -1e-14, 0, 1e-14, 0.1])
@pytest.mark.parametrize("weights", ["none", "whole"])
def test_numpy_decides_whether_a_gain_of_events_is_the_least_one(off, weights):
    """Exposures are rounded, and so is the deviance of rows: the same for all rows and for some of them."""
    random, levels = np.random.default_rng(0), []
    kinds = [("normal", 0.1), ("words", 0.1), ("few", 0.0)]
    columns = dict(zip("xyz", columns_of(random, 300, kinds), strict=True))
    years, own = random.random(300) + 0.01, WEIGHTS[weights](random, 300)
    data = table_without_classes(kinds, columns, random.poisson(2 * years), own, {"years": years}, events("years"))
    policy = evolve(CART, missing="heaviest", stop=max_depth(2))
    grow(data, policy, trace=levels.append)
    for level in levels[:-1]:
        same(data, policy.stopping(min_gain(max(0, level.gain[0] + 1e-9 + off))))


@given(regression_tables() | tables_of_events(["waiting times"]), st.integers(-1, 1), st.sampled_from(["heaviest", surrogates()]))
@settings(max_examples=100)  # few risks are rounded to another side in C than in NumPy
def test_numpy_decides_whether_a_node_has_the_least_errors(data, ulps, missing):
    """Exposures, and so the deviance of rows, are rounded as they are at the root, not as in a table of the node's own rows."""
    levels, policy = [], evolve(CART, missing=missing, stop=max_depth(2))
    assume(laid_out(data, policy) is not None)
    grow(data, policy, engine="plain", trace=levels.append)
    for level in levels[:-1]:
        risk = level.impurity if level.risk is None else level.risk(level.counts)
        for errors in (risk * level.weight)[level.open].tolist():
            same(data, policy.stopping(min_errors(max(0.0, errors + ulps * float(np.spacing(errors))))))


@pytest.mark.parametrize("seed", range(3))
def test_numpy_decides_among_the_features_that_each_node_draws(seed):
    """Each halves the classes of any node."""
    x = np.repeat(np.arange(32.0), 2)
    data, drawing = Dataset.from_rows(np.stack([x] * 8, axis=1), x // 8), random_features(1, (threshold(),), seed=seed)
    same(data, evolve(ID3, splits=(drawing,), stop=pure() | min_gain(1 + 1e-9)))


def test_numpy_grows_events_of_which_one_row_has_nearly_all_the_deviance():
    """Its rounding would tie gains of the others."""
    happened, years = np.ones(3000), np.ones(3000)
    happened[7], x = 1e6, np.arange(3000) % 7.0
    table = Dataset.from_columns({"x": x, "years": years, "failures": happened}, target="failures", response=events("years"))
    policy = CART.stopping(max_depth(2))
    assert grow(table, policy) == grow(table, policy, engine="plain")


@pytest.mark.parametrize("kind", ["lane", "codes", "nominal"])
@pytest.mark.parametrize(("lower", "higher"), [((157, 156), (143, 142)), ((138, 139), (137, 138)), ((148, 150), (147, 149))])
def test_gains_that_differ_by_a_few_parts_in_a_billion_are_told_apart(lower, higher, kind):
    """Rows of each class below a cut."""
    labels, type_ = np.repeat([0, 1], 300), np.int64 if kind == "nominal" else float

    def above(rows):
        return np.concatenate([np.arange(300) >= n for n in rows]).astype(type_)

    for pair in ((lower, higher), (higher, lower)):
        features = [
            Feature(name, "nominal" if kind == "nominal" else "numeric", range(2) if kind == "nominal" else ()) for name in "ab"
        ]
        data = Dataset(Schema(features, "y", (0, 1)), [above(rows) for rows in pair], labels, np.full(600, 0.7))
        with sized(few=0 if kind == "lane" else 254):
            assert same(data, evolve(ID3, stop=max_depth(1))).root.split.feature == pair.index(higher)


def gain_of_cut(left, n, impurity):
    """The gain of a cut with so many cases of two classes on its left, of n each."""
    return gain(np.array([left, (n - left[0], n - left[1])], float), impurity)


@pytest.mark.parametrize("kind", ["lane", "codes", "nominal"])
@pytest.mark.parametrize("places", [[[0, 1, 2]], [[0, 1, 1], [0, 0, 1]]], ids=["cuts", "features"])
@given(seeds, st.sampled_from([gini, entropy]), st.integers(2, 3))
@settings(max_examples=30)  # one of some five is rounded to another side in C than in NumPy
def test_numpy_decides_whether_cuts_differ_by_a_tie(kind, places, seed, impurity, n_classes):
    """The second of two cuts gains more than the first one by 1e-9, but for the last bits."""
    random, n = np.random.default_rng(seed), 2**50
    first = int(n * random.uniform(0.3, 0.5)), int(n * random.uniform(0.05, 0.2))
    more, low, high = int(n * random.uniform(0.6, 0.9)), first[1], n
    while high - low > 1:  # the gain falls while more cases of the second class go left
        middle = (low + high) // 2
        is_better = middle < more and gain_of_cut((more, middle), n, impurity) > gain_of_cut(first, n, impurity) + 1e-9
        low, high = (middle, high) if is_better else (low, middle)
    weights = np.diff([(0, 0), first, (more, low), (n, n)], axis=0)
    type_ = np.int64 if kind == "nominal" else float
    columns = [np.append(np.repeat(each, 2), 2).astype(type_) for each in places]
    features = [
        Feature(f"x{i}", "nominal" if kind == "nominal" else "numeric", range(3) if kind == "nominal" else ())
        for i in range(len(places))
    ]
    labels, cases = np.array([0, 1] * 3 + [n_classes - 1]), np.append(weights.ravel(), 1)
    data = Dataset(Schema(features, "y", range(n_classes)), columns, labels, cases)
    policy = evolve(CART, impurity=impurity, splits=(subset(exact=0), threshold()), stop=max_depth(1), missing="ignore")
    with sized(few=0 if kind == "lane" else 254):
        same(data, policy)


# Splitters and choices, of which each has a comparison that rounding could decide.
CLOSE_CHOICES = {
    "orders of classes": evolve(CART, splits=(subset(exact=0), threshold()), missing="ignore"),
    "divisions": evolve(CART, splits=(subset(), threshold()), missing="ignore"),
    "bits of a cut": evolve(ID3, splits=(threshold(mdl=True),)),
    "gain ratios": evolve(C45, choose=by_gain_ratio(slack=0.2)),
    "mean gain": evolve(C45, choose=by_gain_ratio(slack=0.0)),
    "scores that are ratios": evolve(ID3, score=gain_ratio, splits=(one_value(), threshold())),
    "least gain": ID3.stopping(min_gain(0.3)),
    "priors": evolve(CART, priors=[0.5, 0.3, 0.2], missing="ignore"),
}


@pytest.mark.parametrize("policy", CLOSE_CHOICES.values(), ids=CLOSE_CHOICES)
@given(seeds, st.sampled_from(["words", "few", "normal"]), st.booleans())
@example(seed=1536, kind="few", gaps=False)  # one row has 2^-44 of a case, so a ratio is hardly known
@settings(max_examples=12)
def test_numpy_decides_where_a_little_more_weight_changes_a_choice(policy, seed, kind, gaps):
    """The least weight of a row with which another split is the best one."""
    random, n = np.random.default_rng(seed), 12
    kinds = [(kind, 0.2 * gaps), ("words", 0.2 * gaps), (kind, 0.0)]
    features = [feature_of(number, kind) for number, (kind, _) in enumerate(kinds)]
    labels, weights = np.append([0, 1, 2], random.integers(0, 3, n - 3)), random.integers(1, 2**45, n)
    data = Dataset(Schema(features, "y", "pqr"), list(columns_of(random, n, kinds)), labels)

    def with_cases(cases):
        return evolve(data, weights=np.append(cases, weights[1:]) / 2.0**44)

    def split(cases):
        root = grow(with_cases(cases), policy.stopping(max_depth(1)), engine="compiled").root
        return root.split if isinstance(root, Branch) else None

    low, high = 1, 2**48
    first = split(low)
    assume(split(high) != first)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if split(middle) == first else (low, middle)
    for cases in range(low - 2, high + 3):
        same(with_cases(max(cases, 1)), policy.stopping(max_depth(1)))


# Surrogates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "missing", [surrogates(), surrogates(everywhere=True), surrogates(at_most=1), surrogates(at_most=0)], ids=str
)
def test_columns_that_agree_have_surrogates(missing):
    tree = same(alike(), evolve(CART, missing=missing), [1, 2])
    found = [len(node.split.surrogates) for node in preorder(tree) if isinstance(node, Branch)]
    assert max(found) == min(missing.at_most, 3), "the other columns agree less than the larger child"


@pytest.mark.parametrize("n_values", [63, 64])
def test_a_nominal_surrogate_may_have_as_many_codes_as_an_integer_has_bits(n_values):
    data, rng = alike(), np.random.default_rng(1)
    number = np.where(rng.random(len(data)) < 0.2, np.nan, rng.integers(0, n_values, len(data)).astype(float))
    codes = [np.where(rng.random(len(data)) < 0.2, -1, np.arange(len(data)) * n_values // len(data)) for _ in range(2)]
    kinds = Feature("number", "numeric"), Feature("rank", "ordinal", range(n_values)), Feature("word", "nominal", range(n_values))
    data = Dataset(Schema([*data.schema.features, *kinds], "y", (0, 1, 2)), [*data.columns, number, *codes], data.target_column)
    same(data, evolve(CART, missing=surrogates(everywhere=True)))


def test_a_value_between_those_that_set_a_threshold_is_compared_with_it():
    """Rows that miss the split's value may have values of the surrogate that no other row has."""
    rows = [[1, 10], [1, 10], [2, 20], [2, 20], [None, 14], [None, 15], [None, 16], [None, None]]
    many = [[x, y, None if y is None else y + i / 100] for i, (x, y) in enumerate(rows * 20)]
    data = Dataset.from_rows(many, [0, 0, 1, 1, 0, 1, 1, 0] * 20)
    for few in (0, 254):
        with sized(few=few):
            same(data, CART.stopping(max_depth(1)))


# Columns ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
def test_float32_columns_are_kept_as_they_are_and_grow_the_tree_of_their_doubles(gaps):
    rng = np.random.default_rng(7)
    numbers = rng.normal(size=(3, 300)).astype(np.float32)
    numbers[2] = numbers[2].round()
    if gaps:
        numbers[rng.random(numbers.shape) < 0.1] = np.nan
    columns = dict(zip("abc", numbers, strict=True))
    y = {"y": (numbers[0] > numbers[1] / 2) ^ (rng.random(300) < 0.2)}
    single = Dataset.from_columns(columns | y, target="y")
    double = Dataset.from_columns({name: column.astype(float) for name, column in columns.items()} | y, target="y")
    assert all(np.shares_memory(kept, given) for kept, given in zip(single.columns, numbers, strict=True))
    for engine in ("plain", "compiled"):
        tree = grow(single, engine=engine)
        assert tree == grow(double, engine=engine)
        assert (predict_counts(tree, single) == predict_counts(tree, double)).all()
    assert Dataset.from_columns(columns | y, target="y", missing=[float(numbers[0, 1])]).columns[0].dtype == np.float32


def test_a_table_without_features_or_with_missing_values_only_is_a_leaf():
    same(Dataset.from_rows([[], []], [0, 1]), ID3)
    same(Dataset.from_rows([[None, "a"], [None, "b"]], [0, 1], kinds={"x0": "numeric"}), ID3)


def test_grown_nodes_are_as_good_as_constructed_ones():
    tree = grow(table(400, gaps=True), engine="compiled")
    rebuilt = eval(repr(tree.root), {name: getattr(ftree.tree, name) for name in ftree.tree.__all__} | {"__builtins__": {}})  # noqa: S307  # a node reads as its constructor, with its checks
    assert rebuilt == tree.root
    assert hash(rebuilt) == hash(tree.root)
    assert evolve(tree, root=rebuilt) == tree
    assert n_leaves(tree) > 1
