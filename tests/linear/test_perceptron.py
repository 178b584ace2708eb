"""Perceptrons, primal and dual, their planes and their reports: worked by hand, and laws over drawn points."""

from itertools import islice, pairwise
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from measured_memory import memory_of

from ftree import Dataset, linear
from ftree.linear.forms_and_kernels import gram
from ftree.linear.perceptron_learner import learned, training_report
from ftree.points import standard

XOR_OF_ONE = Dataset.from_rows([[0], [1], [2], [3]], ["no", "yes", "yes", "no"])
XOR = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"])


@st.composite
def sides(draw, *, separable):
    """Points, on a grid or not, with signs given by a plane or at random."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, width = draw(st.integers(1, 30)), draw(st.integers(1, 4))
    points = random.integers(-4, 5, (n, width)).astype(float) if draw(st.booleans()) else random.normal(size=(n, width))
    if not separable:
        return points, random.choice([-1.0, 1.0], n)
    scores = points @ random.normal(size=width) + random.normal()
    assume(np.abs(scores).min() > 0.05)  # close calls take the longest
    return points, np.sign(scores)


def by_hand(points, signs, epochs):
    """The textbook algorithm: row by row, weights and bias from zero, adding the point on a mistake."""
    weights, bias = np.zeros(points.shape[1]), 0.0
    yield (*weights, bias)
    for _ in range(epochs):
        for point, sign in zip(points, signs, strict=True):
            if sign * (weights @ point + bias) <= 0:
                weights, bias = weights + sign * point, bias + sign
                yield (*weights, bias)


def named(points, signs):
    return Dataset.from_rows(points, [bool(sign > 0) for sign in signs])


@given(sides(separable=False))
def test_the_sequence_is_that_of_the_algorithm_as_it_is_told(rows):
    points, signs = np.rint(64 * rows[0]), rows[1]  # whole numbers, whose sums are exact
    steps = [step for step in linear.mistakes(linear.primal(points, signs), epochs=3) if step.end is None]
    assert [step.state for step in steps] == list(islice(by_hand(points, signs, 3), len(steps)))


@given(sides(separable=True))
def test_a_set_that_a_plane_separates_is_separated_within_novikoffs_bound(rows):
    learned = linear.perceptron(named(*rows), epochs=10**6)
    assert learned.separated
    assert list(learned(rows[0])) == [bool(sign > 0) for sign in rows[1]]
    for machine in learned.machines:
        assert machine.end == "separated"
        assert machine.mistakes <= machine.bound * (1 + 1e-9)
        assert machine.margin > 0
        assert machine.wrong == 0


@given(sides(separable=False))
def test_primal_and_dual_are_one_algorithm_step_by_step(rows):
    points, signs = np.rint(4 * rows[0]), rows[1]  # whole numbers, whose sums are exact
    ones = list(linear.mistakes(linear.primal(points, signs), epochs=20))
    others = list(linear.mistakes(linear.dual(points, signs, linear.inner), epochs=20))
    assert len(ones) == len(others)
    for one, other in zip(ones, others, strict=True):
        missed = signs * other.state
        assert one.state == (*(missed @ points), missed.sum())
        assert (one.row, one.epoch, one.looked_at, one.end) == (other.row, other.epoch, other.looked_at, other.end)


# No margin of these points is larger: their coordinates are below 1,000.
MOST_MARGIN = 1e6


@given(sides(separable=False), st.sampled_from([linear.last, linear.pocket, linear.averaged]))
def test_primal_and_dual_classify_alike_and_report_the_same(rows, pick):
    points = np.rint(4 * rows[0])
    one = linear.perceptron(named(points, rows[1]), epochs=10, pick=pick)
    other = linear.perceptron(named(points, rows[1]), epochs=10, pick=pick, kernel=linear.inner)
    assert one.scores(points) == pytest.approx(other.scores(points))
    for a, b in zip(one.machines, other.machines, strict=True):
        assert (a.mistakes, a.epochs, a.end) == (b.mistakes, b.epochs, b.end)
        # Where the weights of the mean plane cancel, their length is 0 in one form and a rounding error in the other.
        assert a.margin == pytest.approx(b.margin, abs=1e-6) or max(abs(a.margin), abs(b.margin)) > MOST_MARGIN
        assert a.bound == pytest.approx(b.bound)


@given(sides(separable=False))
def test_no_plane_of_the_sequence_gets_fewer_rows_wrong_than_the_pocket(rows):
    points, signs = rows
    form = linear.primal(points, signs)
    wrong = [int((form.margins(step.state) <= 0).sum()) for step in linear.mistakes(form, epochs=10)]
    (machine, *_) = linear.perceptron(named(points, signs), epochs=10, pick=linear.pocket).machines
    assert machine.wrong == min(wrong) or len(set(signs)) == 1


@given(sides(separable=False))
def test_the_averaged_plane_is_the_mean_of_the_planes_that_looked_at_each_row(rows):
    points, signs = rows
    weights, total, looks = np.zeros(points.shape[1] + 1), 0.0, 0
    with_bias = np.column_stack([points, np.ones(len(points))])
    form = linear.primal(points, signs)
    steps = list(linear.mistakes(form, epochs=4))
    for _ in range(steps[-1].epoch):
        for point, sign in zip(with_bias, signs, strict=True):
            total, looks = total + weights, looks + 1
            weights = weights + sign * point if sign * (weights @ point) <= 0 else weights
    assert linear.averaged(iter(steps), lambda _: 0) == pytest.approx(tuple(total / looks), abs=1e-9)


# XOR and other inseparable classes ----------------------------------------------------------------------------


@pytest.mark.parametrize("pick", [linear.last, linear.pocket, linear.averaged])
def test_learning_keeps_few_steps_at_a_time(pick):
    """20,000 steps of 50 weights would take 30 MB."""
    state = tuple(map(float, range(50)))

    def steps():
        for number in range(20_000):
            yield linear.PerceptronStep((float(number), *state), 0, 1, number)

    assert memory_of(lambda: pick(steps(), lambda state: state[0])) < 100_000


def test_xor_is_reported_and_not_tried_for_ever():
    learned = linear.perceptron(XOR, epochs=10**9)
    assert not learned.separated
    assert learned.machines[0].end == "cycle"
    assert learned.machines[0].bound == inf
    assert learned.machines[0].margin <= 0
    (machine,) = learned.machines
    told = f"{machine.wrong} of 4 rows wrong after {machine.epochs} passes; {machine.mistakes} mistakes"
    why = "the planes repeat, so no plane separates these rows: try a kernel, other features, or a tree"
    assert str(learned).splitlines() == ["perceptron on 4 rows, 2 classes: not separated.", f"  yes: {told}; {why}"]


@pytest.mark.parametrize(
    ("rows", "labels", "first", "length"),
    [
        ([[0, 0], [-1, 3], [-1, 1], [-1, 0]], [1, -1, 1, -1], 5, 3),
        ([[-2, 3], [3, -3], [-2, -2], [-2, 1]], [-1, -1, -1, 1], 4, 5),
        ([[0, -1], [0, 2], [3, -1], [-2, 0], [1, -2]], [-1, 1, 1, 1, 1], 12, 7),
        ([[0], [0]], [1, -1], 1, 1),
    ],
)
def test_a_cycle_of_passes_is_found_after_the_next_power_of_two(rows, labels, first, length):
    """From the pass `first` on, the planes repeat after `length` passes (Brent's rule finds that without keeping all)."""
    end = list(linear.mistakes(linear.primal(np.array(rows, dtype=float), np.array(labels)), epochs=1000))[-1]
    remembered = 1 << (max(first, length) - 1).bit_length()
    assert (end.end, end.epoch) == ("cycle", remembered + length)


def test_a_gaussian_kernel_falls_by_its_width():
    assert linear.gaussian(2.0)(np.array([[0.0, 0.0]]), np.array([[1.0, 2.0]])).tolist() == [[pytest.approx(np.exp(-5 / 8))]]


def test_xor_is_separated_in_the_space_of_products():
    learned = linear.perceptron(XOR, kernel=linear.polynomial(2))
    assert learned.separated
    assert list(learned(XOR)) == ["no", "yes", "yes", "no"]
    assert linear.perceptron(XOR, kernel=linear.gaussian(0.5)).separated
    assert isinstance(learned.machines[0].plane, linear.Expansion)
    assert repr(learned.machines[0].plane) == "<Expansion by polynomial(2) over 4 rows>"


@given(sides(separable=False))
def test_a_cycle_is_only_reported_where_no_plane_separates(rows):
    optimize = pytest.importorskip("scipy.optimize", reason="linear programming tells what can be separated")
    points, signs = np.rint(rows[0]), rows[1]
    *_, end = linear.mistakes(linear.primal(points, signs), epochs=200)
    if end.end == "cycle":
        rights = signs[:, None] * np.column_stack([points, np.ones(len(points))])
        found = optimize.linprog(np.zeros(rights.shape[1]), -rights, -np.ones(len(rights)), bounds=(None, None))
        assert not found.success


def test_learning_that_ends_early_says_that_there_may_be_no_plane():
    close = Dataset.from_rows([[0.0, 0.0], [1.0, 1.0], [1.0, 1.01]], ["a", "a", "b"])
    assert "there may be none" in str(linear.perceptron(close, epochs=5))
    assert linear.perceptron(close, epochs=10**5).separated
    early = linear.perceptron(close, epochs=10**5, pick=linear.averaged)
    assert early.machines[0].end == "separated"
    assert "the picked plane is not the one that separated the rows" in str(early)


@given(sides(separable=False), st.integers(1, 12), st.integers(1, 4))
def test_the_end_that_is_reported_is_the_one_that_was_read(rows, read, epochs):
    """A `pick` may stop before the sequence ends; then nobody knows how it would have ended."""
    read_steps = []

    def early(steps, _):
        read_steps.extend(islice(steps, read))
        return read_steps[-1].state

    found = learned(linear.primal(*rows), "yes", epochs, early)
    assert found.end == (read_steps[-1].end or "picked")
    assert found.epochs == read_steps[-1].epoch
    assert found.mistakes == sum(step.row is not None for step in read_steps)
    assert ("pick read no further planes, so a later one may" in training_report(found, 1)) == (
        found.end == "picked" and found.wrong > 0
    )


# Classifiers --------------------------------------------------------------------------------------------------


def test_where_all_rows_have_one_class_it_is_the_answer():
    learned = linear.perceptron(Dataset.from_rows([[1.0], [2.0]], ["a", "a"]))
    assert learned([[5.0], [-5.0]]) == ["a", "a"]
    assert learned.machines[0].margin > 0


def test_a_score_of_zero_is_the_first_class():
    assert linear.perceptron(Dataset.from_rows([[-1.0], [1.0]], ["a", "b"]))([0.0]) == "a"
    constant = linear.perceptron(Dataset.from_rows([[0.0], [0.0]], ["a", "b"]), epochs=3)
    assert (constant.machines[0].margin, constant.machines[0].wrong) == (-inf, 1) or constant.machines[0].margin == 0


def test_planes_come_one_by_one_and_only_when_asked_for():
    planes = linear.hyperplanes(XOR, epochs=10**9)
    first = list(islice(planes, 3))
    assert first[0] == linear.Hyperplane((0, 0), 0)
    assert all(one != other for one, other in pairwise(first))
    assert next(planes)(np.zeros((1, 2))).shape == (1,)
    two = Dataset.from_rows([[2], [4]], ["a", "b"])
    assert [plane.bias for plane in islice(linear.hyperplanes(two, positive="a"), 2)] == [0, 1]
    *_, final = linear.hyperplanes(two)
    assert (final(np.array([[2.0], [4.0]])) > 0).tolist() == [False, True]


def test_scaling_learned_from_the_rows_moves_new_ones_alike():
    data = Dataset.from_rows([[100, 1], [101, 1], [104, 1], [105, 1]], list("aabb"))
    scaled = linear.perceptron(data, scale=standard)
    assert scaled.separated
    assert scaled([[99, 1], [109, 1]]) == ["a", "b"]
    assert scaled.machines[0].mistakes < linear.perceptron(data, epochs=10**5).machines[0].mistakes


def test_rows_of_weight_zero_are_left_out():
    data = Dataset.from_rows([[0], [1], [2]], ["a", "b", "a"], weights=[1, 1, 0])
    assert linear.perceptron(data).separated
    assert len(linear.perceptron(data).dataset) == 2


def test_a_plane_is_reported_with_its_margin_and_novikoffs_bound():
    form = linear.primal(np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([-1.0, -1.0, 1.0, 1.0]))
    *_, end = linear.mistakes(form, epochs=100)
    weight, bias = end.state
    found = learned(form, "yes", 100, linear.last)
    margins = [-bias, -weight - bias, 3 * weight + bias, 4 * weight + bias]
    n_mistakes = sum(step.row is not None for step in linear.mistakes(form, epochs=100))
    assert found == linear.Machine(
        label="yes",
        plane=linear.Hyperplane((weight,), bias),
        mistakes=n_mistakes,
        epochs=end.epoch,
        end="separated",
        wrong=0,
        margin=pytest.approx(min(margins) / abs(weight)),
        bound=pytest.approx(17 * (weight**2 + bias**2) / min(margins) ** 2),
    )
    assert training_report(found, 4) == (
        f"yes: separated after {end.epoch} passes; {n_mistakes} mistakes (Novikoff's bound: {found.bound:.0f}), "
        f"margin {found.margin:.3g}"
    )


def test_a_plane_that_is_wrong_has_a_negative_margin_and_no_bound():
    """After one pass the plane is 3 x + 1: the first row is wrong, at a distance of a third."""
    form = linear.primal(np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0]))
    found = learned(form, "yes", 1, linear.last)
    assert found == linear.Machine("yes", linear.Hyperplane((3,), 0), 2, 1, "epochs", 2, -1.0, inf)
    assert (
        training_report(found, 3)
        == "yes: 2 of 3 rows wrong after 1 pass; 2 mistakes; no plane was found that separates these rows; there may be none"
    )


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (np.ones((2, 3)), "float64 of shape (2, 3)"),
        (np.ones((2, 2), bool), "bool of shape (2, 2)"),
        (np.ones((2, 2), complex), "complex128 of shape (2, 2)"),
        (np.array([[1.0, np.nan], [1.0, 1.0]]), "float64 of shape (2, 2)"),
        (np.array([[1.0, np.inf], [1.0, 1.0]]), "float64 of shape (2, 2)"),
    ],
    ids=["shape", "bool", "complex", "nan", "inf"],
)
def test_a_kernel_returns_finite_numbers(answer, got):
    def own(_, __):
        return answer

    with pytest.raises(ValueError, match="kernel") as caught:
        gram(own, np.ones((2, 1)), np.ones((2, 1)))
    assert "must be finite inner products of shape (2, 2), " in str(caught.value)
    assert str(caught.value).endswith(f"got {got}.")
    whole = np.ones((2, 2), np.uint8)
    assert gram(lambda *_: whole, np.ones((2, 1)), np.ones((2, 1))) is whole
    assert gram(lambda *_: [[1, 2]], np.ones((1, 1)), np.ones((2, 1))).tolist() == [[1, 2]]


@pytest.mark.parametrize("width", [0, -1, inf, np.nan, "x", None])
def test_the_width_of_a_gaussian_is_above_0(width):
    with pytest.raises(ValueError, match=r"^width must be a finite number above 0, got "):
        linear.gaussian(width)
    assert linear.gaussian(5e-324).width > 0
    assert linear.gaussian(1e308).width == 1e308


@pytest.mark.parametrize("degree", [0, -1, 0.5, 2.0, inf, np.nan, True, "two", None])
def test_the_degree_of_a_polynomial_is_a_whole_number_from_1(degree):
    """By a broken degree, the kernel of points at an obtuse angle would be no number; by 0, all points would be one."""
    with pytest.raises(ValueError, match=r"^degree must be a whole number from 1, got "):
        linear.polynomial(degree)
    assert linear.polynomial(np.uint8(3))(np.array([[1.0]]), np.array([[-3.0]])).tolist() == [[-8.0]]


@pytest.mark.parametrize("kernel", [None, linear.inner])
@pytest.mark.parametrize("result", [None, "ab", linear.PerceptronStep((0.0,), None, 1, 0), (1.0,), (np.nan,) * 2, (inf,) * 4])
def test_a_pick_returns_a_state(result, kernel):
    def own(*_):
        return result

    with pytest.raises(ValueError, match=r"^The result of pick=own must be a step's state, (2|4) finite numbers, got "):
        linear.perceptron(XOR_OF_ONE, pick=own, kernel=kernel)


def test_what_learning_refuses_is_named():
    three = Dataset.from_rows([[1], [2], [3]], [1, 2, 3])
    for message, call in (
        (
            "positive must be the class on the positive side, one of (1, 2, 3), got 'c'.",
            lambda: linear.hyperplanes(three, positive="c"),
        ),
        ("positive must be the class on the positive side, one of (1, 2, 3), got None.", lambda: linear.hyperplanes(three)),
        (
            "'x0' must be numeric for a plane, got a nominal feature. Code each value as a feature of 0 and 1.",
            lambda: linear.perceptron(Dataset.from_rows([["a"]], ["b"])),
        ),
        (
            "Numbers must have finite products, got numbers up to 1e+200. Divide them beforehand.",
            lambda: linear.perceptron(Dataset.from_rows([[-1e200], [1.0]], ["a", "b"])),
        ),
    ):
        with pytest.raises(ValueError, match="must") as caught:
            call()
        assert str(caught.value) == message


def test_a_report_lists_each_plane_of_three_classes():
    corners = Dataset.from_rows([[0, 0], [1, 0], [9, 0], [9, 1], [0, 9], [1, 9]], list("aabbcc"))
    found = linear.perceptron(corners)
    lines = [training_report(machine, 6) for machine in found.machines]
    assert str(found) == "\n  ".join(["perceptron on 6 rows, 3 classes: separated.", *lines])
    signs = np.where(np.array(list("aabbcc")) == "b", 1.0, -1.0)
    assert [machine.label for machine in found.machines] == ["a", "b", "c"]
    assert list(found(corners)) == list("aabbcc")
    assert found.machines[1] == learned(linear.primal(np.array(corners.columns, float).T, signs), "b", 1000, linear.last)
    assert found.scores(corners)[:, 1].tolist() == found.machines[1].plane(np.array(corners.columns, float).T).tolist()
    assert sqrt(sum(weight**2 for weight in found.machines[1].plane.weights)) > 0


def test_a_margin_whose_square_is_0_has_no_bound():
    class Near(linear.primal):
        def margins(self, *_):
            return np.array([1e-200])

    assert learned(Near(np.array([[2.0]]), np.ones(1)), "yes", 1, linear.last).bound == inf
