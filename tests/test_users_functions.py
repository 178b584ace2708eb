"""Users' functions can read their arguments but not change them, and their results are checked."""

import numpy as np
import pytest
from attrs import evolve

from ftree import ID3, Dataset, accuracy, entropy, gain, grow, predict, predict_counts, predict_proba, prune
from ftree.missing import surrogates
from ftree.splitters import as_branch, as_value, ignore, threshold
from ftree.stop import per_node, pure

DATA = Dataset.from_columns(
    {
        "sky": ["grey", "blue", "grey", "blue", "red"],
        "wind": [1.0, 2.0, 3.0, None, 5.0],
        "ride": ["no", "yes", "no", "yes", "no"],
    },
    target="ride",
)
TREE = grow(DATA)


def arrays_of(thing):
    """All arrays that a function can reach in an argument."""
    if isinstance(thing, np.ndarray):
        return [thing]
    names = ("counts", "impurity", "keys", "gain", "child_counts", "n_children")
    found = [getattr(thing, name, None) for name in names]
    return [array for array in found if isinstance(array, np.ndarray)]


def reading_only(function, *, to=0):
    """The function, with a check that it cannot write to any array of one of its arguments."""

    def reading(*arguments):
        arrays = arrays_of(arguments[to])
        assert arrays
        assert not any(array.flags.writeable for array in arrays)
        return function(*arguments)

    return reading


def slipping(function):
    """The function with a slip: it adds 1 to its counts in place."""

    def slip(counts, *others):
        counts += 1
        return function(counts, *others)

    return slip


@pytest.mark.parametrize("priors", [None, (0.5, 0.5)])
@pytest.mark.parametrize("missing", [ignore, as_value, as_branch, surrogates])
def test_an_impurity_and_a_score_cannot_change_counts(priors, missing):
    policy = evolve(ID3, priors=priors, missing=missing())
    both = evolve(policy, impurity=reading_only(entropy), score=reading_only(gain))
    assert grow(DATA, both).root == grow(DATA, policy).root


@pytest.mark.parametrize("part", [{"impurity": slipping(entropy)}, {"score": slipping(gain)}])
@pytest.mark.parametrize("splits", [ID3.splits, (threshold(),)])
def test_a_slip_in_place_is_an_error_and_no_other_tree(part, splits):
    with pytest.raises(ValueError, match="read-only"):
        grow(DATA, evolve(ID3, splits=splits, **part))


def test_a_slip_of_an_impurity_is_an_error_wherever_it_is_used():
    for measure in (
        lambda: gain(np.array([[1, 2], [3, 0]]), slipping(entropy)),
        lambda: prune.trim(pure(), impurity=slipping(entropy))(TREE),
        lambda: prune.cost_complexity(0.1, risk=slipping(entropy))(TREE),
    ):
        with pytest.raises(ValueError, match="read-only"):
            measure()


@pytest.mark.parametrize("lifted", [lambda rule: rule, per_node])
def test_a_stopping_rule_cannot_change_the_frontier(lifted):
    def rule(frontier):
        return pure()(frontier)

    assert grow(DATA, evolve(ID3, stop=lifted(reading_only(rule)))).root == grow(DATA, evolve(ID3, stop=pure())).root
    assert prune.trim(lifted(reading_only(rule)))(TREE) == prune.trim(pure())(TREE)


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_a_trace_cannot_change_the_tree(engine):
    levels = []
    assert grow(DATA, trace=reading_only(levels.append), engine=engine) == TREE
    assert len(levels) > 1


def test_an_estimate_cannot_change_counts():
    assert predict_proba(TREE, DATA, estimate=reading_only(lambda counts: counts)).tolist() == predict_counts(TREE, DATA).tolist()


def test_leaves_see_the_rows_of_a_dataset_in_read_only_columns():
    def leaves(tree, rows, rule):
        assert not any(column.flags.writeable for column in rows.columns)
        return predict_counts(tree, rows, missing=rule)

    assert list(predict(TREE, DATA, leaves=leaves)) == list(predict(TREE, DATA))


NO_ANSWERS = [
    lambda counts: None,  # noqa: ARG005  # returned whatever comes
    lambda counts: counts[..., :1],
    lambda counts: counts.sum(axis=-1),
    lambda counts: counts[None],
    lambda counts: counts - 1e6,
    lambda counts: counts * np.nan,
    lambda counts: counts + np.inf,
    lambda counts: "half",  # noqa: ARG005  # as above
    lambda counts: [[1], [1, 2]],  # noqa: ARG005  # as above
]


@pytest.mark.parametrize("rows", [DATA, ["grey", 1.0], [["grey", 1.0], [None, None]], []], ids=["dataset", "row", "rows", "none"])
@pytest.mark.parametrize("number", range(len(NO_ANSWERS)))
def test_an_estimate_and_leaves_must_return_numbers_for_each_row_and_class(rows, number):
    def wrong(counts):
        return NO_ANSWERS[number](counts)

    def leaves(tree, rows, rule):
        return wrong(predict_counts(tree, rows, missing=rule))

    if not len(predict_counts(TREE, rows)) and number in (4, 5, 6):
        return  # no number can be wrong
    wanted = r"must return finite numbers from 0 of shape \((5, |2, |0, )?2,?\), one for each class, got "
    with pytest.raises(ValueError, match=f"^estimate {wanted}"):
        predict_proba(TREE, rows, estimate=wrong)
    for ask in (predict, predict_counts):
        with pytest.raises(ValueError, match=f"^leaves {wanted}"):
            ask(TREE, rows, leaves=leaves)


@pytest.mark.parametrize("answer", ["x", "xxxxx", None, ["yes"], ["yes"] * 6, b"xxxxx", iter(["yes"] * 5)])
def test_a_classifier_must_return_a_label_for_each_row(answer):
    with pytest.raises(ValueError, match=r"returns a list of 5 labels, one for each row, got a function that returned"):
        accuracy(lambda _: answer, DATA)
    for labels in (["no"] * 5, ("no",) * 5, np.array(["no"] * 5)):
        assert accuracy(lambda _, labels=labels: labels, DATA) == 0.6


@pytest.mark.parametrize("weights", [[1e-300, 1e15], [1e-320, 1.0]])
def test_priors_that_no_float_can_weigh_are_refused_with_their_cause(weights):
    rows = Dataset.from_columns({"x": [0.0, 1.0] * 2, "y": ["a", "b"] * 2}, target="y", weights=weights * 2)
    with pytest.raises(ValueError, match="finite factors of the class counts, got factors for counts from"):
        grow(rows, evolve(ID3, priors=(0.5, 0.5)))
