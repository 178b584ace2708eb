"""Quantiles as the response: the loss of the median is scikit-learn's absolute error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

import ftree as ft
from ftree import CART, Dataset, grow, leaves, predict, recount
from ftree.responses import quantiles
from ftree.stop import max_depth
from ftree.testing import check_response
from ftree.tree import preorder


def table_of(x, y, q, **options):
    return Dataset.from_columns(
        {f"x{n}": column for n, column in enumerate(x.T)} | {"y": y}, target="y", response=quantiles(q), **options
    )


def pinball(share, number, answer):
    return 2 * max(share * (number - answer), (share - 1) * (number - answer))


def quantile(numbers, share):
    """The mean of the numbers that lose least."""
    best = min(sum(pinball(share, number, each) for number in numbers) for each in numbers)
    rounding = 1e-9 * max(1, *map(abs, numbers))
    least = [each for each in numbers if sum(pinball(share, number, each) for number in numbers) <= best + rounding]
    return (min(least) + max(least)) / 2


@pytest.mark.parametrize("q", [0.5, (0.1, 0.5, 0.75)], ids=str)
def test_it_keeps_the_laws(q):
    shares = np.atleast_1d(q)

    def by_loops(numbers):
        found = [quantile(numbers, share) for share in shares]
        return found[0] if len(found) == 1 else found

    check_response(quantiles(q), oracle=by_loops)
    check_response(quantiles(q), values=st.sampled_from([-2.5, 0.0, 0.1, 1e6]), oracle=by_loops)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.floats(-1, 10), st.sampled_from([0.1, 0.5, 0.9]))
def test_the_loss_is_that_of_all_rows(numbers, answer, share):
    own = Dataset.from_columns({"y": numbers}, target="y", response=quantiles(share)).schema.response
    sums = [len(numbers), *(int(column.sum()) for column in own.wholes(numbers))]
    assert own.loss(answer, sums) == pytest.approx(sum(pinball(share, number, answer) for number in numbers), abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_the_first_split_loses_as_much_as_scikit_learns_by_absolute_error(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 80))
    x, y = rng.normal(size=(n, 3)), rng.integers(0, int(rng.integers(2, 9)), n).astype(float)
    weights = rng.integers(1, 4, n) if seed % 2 else None
    tree = grow(table_of(x, y, 0.5, weights=weights), CART.stopping(max_depth(1)))
    peer = DecisionTreeRegressor(criterion="absolute_error", max_depth=1, random_state=0).fit(x, y, sample_weight=weights)
    lost = sum(tree.schema.response.risk(leaf.counts) for leaf in leaves(tree))
    assert lost == pytest.approx((np.abs(y - peer.predict(x)) * (1 if weights is None else weights)).sum(), abs=1e-9)


def test_many_numbers_are_counted_on_a_grid_of_quantiles():
    rng = np.random.default_rng(1)
    y = rng.exponential(size=2000)
    table = table_of(rng.normal(size=(2000, 1)), y, [0.1, 0.9])
    grid = np.array(table.schema.response.own.grid)
    assert len(grid) == 64
    assert (grid[0], grid[-1]) == (y.min(), y.max())
    tree = grow(table, CART.stopping(max_depth(0)))
    assert predict(tree, [0.0]) == pytest.approx(np.quantile(y, [0.1, 0.9]), abs=np.diff(grid)[:-8].max())
    shifted = table_of(rng.normal(size=(9, 1)), np.full(9, 3.0), [0.5])
    assert predict(grow(shifted, CART), [0.0]) == 3.0


def test_a_number_between_two_of_the_grid_counts_at_the_lower_one():
    assert np.ravel(quantiles(0.5, grid=[1, 2, 4]).add(np.array([1.5, 3.0, 3.1]))).tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 1]


def test_a_tree_of_quantiles_prints_draws_and_is_read_again():
    table = Dataset.from_columns({"x": [0, 0, 0, 1, 1], "y": [1, 2, 9, 4, 4]}, target="y", response=quantiles([0.25, 0.5]))
    tree = grow(table, CART.stopping(max_depth(1)))
    assert str(tree).splitlines() == ["x <= 0.5: 1, 2 (3.0)", "x > 0.5: 4, 4 (2.0)"]
    assert list(quantiles(0.5, grid=[2]).chart(2.0)) == [(0.35, 0.0, 0.3, 0.0), (0.25, 0.0, 0.5, 0.02)]
    frame = pytest.importorskip("pandas").DataFrame({"x": [0.0, 1.0]})
    assert predict(tree, frame).to_dict("list") == {"q0.25": [1.0, 4.0], "q0.5": [2.0, 4.0]}


@pytest.mark.parametrize("wrong", [0, 1.0, [], [0.5, 0.5], [0.9, 0.1], "a", None, [None], [True]])
def test_shares_must_rise_between_0_and_1(wrong):
    with pytest.raises(ValueError, match=r"^q must be numbers between 0 and 1, rising, such as"):
        quantiles(wrong)


@pytest.mark.parametrize("wrong", [[2, 1], [1, 1], [float("nan")], ["a"]])
def test_a_grid_must_rise(wrong):
    with pytest.raises(ValueError, match=r"^grid must be finite numbers, rising, got"):
        quantiles(0.5, wrong)


def test_a_tree_grown_by_means_has_the_splits_of_means_and_answers_with_quantiles():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(300, 3)), np.round(rng.normal(size=300), 1)
    policy = CART.stopping(max_depth(4))
    x[::7, 0] = np.nan
    table = table_of(x, y, [0.5, 0.9])
    by_means = Dataset.from_columns(
        {f"x{n}": column for n, column in enumerate(x.T)} | {"y": y}, target="y", response=quantiles([0.5, 0.9], splits="means")
    )
    means = Dataset.from_columns({f"x{n}": column for n, column in enumerate(x.T)} | {"y": y}, target="y", response="numbers")
    tree, usual = grow(by_means, policy), grow(means, policy)
    assert [str(branch.split) for branch in branches(tree)] == [str(branch.split) for branch in branches(usual)]
    assert tree == recount(usual, by_means, response=quantiles([0.5, 0.9], splits="means"))
    assert [leaf.counts for leaf in leaves(tree)] == [
        leaf.counts for leaf in leaves(recount(usual, table, response=quantiles([0.5, 0.9])))
    ]


def branches(tree):
    return [node for node in preorder(tree) if isinstance(node, ft.Branch)]
