"""Planes, forms and reports of the perceptron by worked examples: whole values, computed by hand."""

from math import inf, sqrt

import numpy as np
import pytest

from ftree import Dataset
from ftree.linear import (
    Hyperplane,
    PerceptronStep,
    averaged,
    dual,
    gaussian,
    hyperplanes,
    inner,
    last,
    mistakes,
    perceptron,
    pocket,
    polynomial,
    primal,
    standard,
)
from ftree.linear import mistakes as mistakes_function
from ftree.linear.machine import Machine, learned, report
from ftree.linear.plane import Expansion, gram

POINTS, SIGNS = np.array([[2.0, 0.0], [4.0, 1.0], [0.0, 3.0]]), np.array([-1.0, 1.0, 1.0])
LINE = Dataset.from_rows([[0], [1], [3], [4]], [False, False, True, True])


def test_the_primal_form_has_the_points_a_coordinate_1_and_their_signs():
    form = primal(POINTS, SIGNS)
    assert [form.change(row).tolist() for row in range(3)] == [[-2, 0, -1], [4, 1, 1], [0, 3, 1]]
    state = (3.0, -4.0, 2.0)
    assert form.margins(state).tolist() == [-8, 10, -10]
    assert form.margins(np.array(state), slice(1, 2)).tolist() == [10]
    assert form.plane(state) == Hyperplane((3, -4), 2)
    assert form.squared_length(state) == (25, 29)
    assert form.squared_reach() == 18
    assert repr(form) == f"primal(points={POINTS!r}, signs={SIGNS!r})"


def test_the_dual_form_has_inner_products_with_1_added_and_both_signs():
    form = dual(POINTS, SIGNS, inner)
    assert [form.change(row).tolist() for row in range(3)] == np.eye(3).tolist()
    state = (1.0, 0.0, 3.0)
    products = np.array([[5, -9, -1], [-9, 18, 4], [-1, 4, 10]])
    assert form.margins(state).tolist() == (products @ state).tolist() == [2, 3, 29]
    assert form.margins(state, slice(0, 2)).tolist() == [2, 3]
    plane = form.plane(state)
    assert (plane.rows.tolist(), plane.shares.tolist()) == ([[2, 0], [0, 3]], [-1, 3])
    assert plane(POINTS).tolist() == [-2, 3, 29], "margins times signs"
    assert form.squared_length(state) == (85, 89), "of the weights (-2, 9), and of these with the bias 2"
    assert form.squared_reach() == 18
    assert repr(form) == f"dual(points={POINTS!r}, signs={SIGNS!r}, kernel={inner!r})"


def test_a_length_is_never_below_0_where_inner_products_are_rounded():
    form = dual(np.zeros((2, 1)), np.ones(2), lambda one, other: np.full((len(one), len(other)), -1e-9))
    plain, with_bias = form.squared_length((1.0, 1.0))
    assert plain == 0
    assert with_bias == pytest.approx(4)


def test_steps_count_passes_and_rows():
    """Two rows on a line: 2 belongs below the plane and 4 above it."""
    steps = list(mistakes(primal(np.array([[2.0], [4.0]]), np.array([-1, 1])), epochs=3))
    assert steps == [
        PerceptronStep((0.0, 0.0), None, 1, 0),
        PerceptronStep((-2.0, -1.0), 0, 1, 1),
        PerceptronStep((2.0, 0.0), 1, 1, 2),
        PerceptronStep((0.0, -1.0), 0, 2, 3),
        PerceptronStep((4.0, 0.0), 1, 2, 4),
        PerceptronStep((2.0, -1.0), 0, 3, 5),
        PerceptronStep((2.0, -1.0), None, 3, 6, "epochs"),
    ]
    assert steps[0].end is None
    found = list(mistakes(primal(np.array([[1.0], [4.0]]), np.array([1, 1])), epochs=3))
    assert found == [
        PerceptronStep((0.0, 0.0), None, 1, 0),
        PerceptronStep((1.0, 1.0), 0, 1, 1),
        PerceptronStep((1.0, 1.0), None, 2, 4, "separated"),
    ]


@pytest.mark.parametrize("n", [63, 64, 65, 191, 192, 193, 500])
def test_mistakes_far_from_each_other_are_found_in_the_order_of_rows(n):
    """All rows but the last are right once the first has been added."""
    points, signs = np.ones((n, 1)), np.append(np.ones(n - 1), -1.0)
    steps = list(mistakes(primal(points, signs), epochs=1))
    assert [(step.row, step.looked_at) for step in steps] == [(None, 0), (0, 1), (n - 1, n), (None, n)]
    assert steps[-1].end == "epochs"


def test_states_are_picked_and_averaged_over_the_rows_that_saw_them():
    steps = [
        PerceptronStep((0.0, 0.0), None, 1, 0),
        PerceptronStep((2.0, 4.0), 0, 1, 1),
        PerceptronStep((6.0, 2.0), 3, 1, 4),
        PerceptronStep((6.0, 2.0), None, 2, 10, "separated"),
    ]
    errors = {(0.0, 0.0): 3, (2.0, 4.0): 1, (6.0, 2.0): 1}
    assert last(iter(steps), errors.get) == (6, 2)
    assert pocket(iter(steps), errors.get) == (2, 4), "the first of the best"
    assert averaged(iter(steps), errors.get) == pytest.approx((4.2, 2.4))


def test_a_plane_is_reported_with_its_margin_and_novikoffs_bound():
    form = primal(np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([-1.0, -1.0, 1.0, 1.0]))
    *_, end = mistakes(form, epochs=100)
    weight, bias = end.state
    found = learned(form, "yes", 100, last)
    margins = [-bias, -weight - bias, 3 * weight + bias, 4 * weight + bias]
    n_mistakes = sum(step.row is not None for step in mistakes(form, epochs=100))
    assert found == Machine(
        label="yes",
        plane=Hyperplane((weight,), bias),
        mistakes=n_mistakes,
        epochs=end.epoch,
        end="separated",
        wrong=0,
        margin=pytest.approx(min(margins) / abs(weight)),
        bound=pytest.approx(17 * (weight**2 + bias**2) / min(margins) ** 2),
    )
    assert report(found, 4) == (
        f"yes: separated after {end.epoch} passes; {n_mistakes} mistakes (Novikoff's bound: {found.bound:.0f}), "
        f"margin {found.margin:.3g}"
    )


def test_a_plane_that_is_wrong_has_a_negative_margin_and_no_bound():
    """After one pass the plane is 3 x + 1: the first row is wrong, at a distance of a third."""
    form = primal(np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0]))
    found = learned(form, "yes", 1, last)
    assert found == Machine("yes", Hyperplane((3,), 0), 2, 1, "epochs", 2, -1.0, inf)
    assert (
        report(found, 3)
        == "yes: 2 of 3 rows wrong after 1 pass; 2 mistakes; no plane was found that separates these rows; there may be none"
    )


def test_a_margin_whose_square_is_0_has_no_bound():
    class Near(primal):
        def margins(self, *_):
            return np.array([1e-200])

    assert learned(Near(np.array([[2.0]]), np.ones(1)), "yes", 1, last).bound == inf


@pytest.mark.parametrize(
    ("points", "signs", "margin", "wrong", "bound"),
    [([0.0], [1.0], inf, 0, 1.0), ([0.0], [-1.0], inf, 0, 1.0), ([0.0, 0.0, 0.0], [1.0, -1.0, 1.0], -inf, 1, inf)],
)
def test_a_plane_without_weights_is_infinitely_far_from_every_row(points, signs, margin, wrong, bound):
    found = learned(primal(np.array(points)[:, None], np.array(signs)), "yes", 2, last)
    assert found.plane.weights == (0,)
    assert (found.margin, found.wrong, found.bound) == (margin, wrong, bound)


def test_a_plane_through_all_rows_has_a_margin_of_0():
    found = learned(primal(np.zeros((2, 1)), np.array([1.0, -1.0])), "yes", 1, last)
    assert (found.plane, found.margin, found.bound, found.wrong) == (Hyperplane((0,), 0), 0, inf, 2)


def test_reports_name_one_pass_and_one_mistake():
    machine = Machine("a", Hyperplane((1,), 0), 1, 1, "separated", 0, 0.5, 3.7)
    assert report(machine, 9) == "a: separated after 1 pass; 1 mistake (Novikoff's bound: 4), margin 0.5"
    never = Machine("a", Hyperplane((1,), 0), 0, 2, "separated", 3, -1.0, inf)
    assert report(never, 9) == (
        "a: 3 of 9 rows wrong after 2 passes; 0 mistakes; the picked plane is not the one that separated the rows"
    )


def test_kernels_are_inner_products():
    one, other = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.0, -1.0]])
    assert inner(one, other).tolist() == [[11, -2]]
    assert polynomial(3)(one, other).tolist() == [[12**3, -1]]
    assert gaussian(2)(one, other) == pytest.approx(np.exp([[-8 / 8, -10 / 8]]))
    assert gaussian(1e-9)(one, one + 1e-17).tolist() == [[1]], "a distance is never negative, even after rounding"
    close = np.array([[0.1, 0.7]]) * 3
    assert (gaussian(1e-8)(close, close) <= 1).all()
    plane = Expansion(inner, np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, -3.0]))
    assert plane(np.array([[3.0, 4.0]])).tolist() == [2 * 4 - 3 * 5]
    assert repr(plane) == "<Expansion by inner over 2 rows>"


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
        gaussian(width)
    assert gaussian(5e-324).width > 0
    assert gaussian(1e308).width == 1e308


def test_what_is_left_out_is_the_default():
    found = perceptron(LINE)
    assert (found.epochs, found.kernel, found.pick, found.separated) == (1000, None, last, True)
    assert found == perceptron(LINE, epochs=1000, kernel=None, pick=last)
    assert found.scores([3.0]).tolist() == [-found.scores([3.0])[1], found.machines[0].plane(np.array([[3.0]]))[0]]
    slow = Dataset.from_rows([[0.0], [1.0], [1.0005]], ["a", "a", "b"])
    assert perceptron(slow).machines[0].epochs == 1000
    assert sum(1 for _ in hyperplanes(slow)) == sum(1 for _ in hyperplanes(slow, epochs=1000))
    assert sum(1 for _ in hyperplanes(LINE, epochs=1)) == 1 + sum(
        step.row is not None
        for step in mistakes_function(primal(np.array([[0.0], [1], [3], [4]]), np.array([-1, -1, 1, 1])), epochs=1)
    )


def test_what_learning_refuses_is_named():
    for message, call in (
        ("epochs must be a whole number from 1, got 0.", lambda: hyperplanes(LINE, epochs=0)),
        (
            "positive must be the class on the positive side, one of (False, True), got 'c'.",
            lambda: hyperplanes(LINE, positive="c"),
        ),
        (
            "'x0' must be numeric for a plane, got a nominal feature. Code each value as a feature of 0 and 1.",
            lambda: perceptron(Dataset.from_rows([["a"]], ["b"])),
        ),
        (
            "Numbers must have finite products, got numbers up to 1e+200. Divide them beforehand.",
            lambda: perceptron(Dataset.from_rows([[-1e200], [1.0]], ["a", "b"])),
        ),
    ):
        with pytest.raises(ValueError, match="must") as caught:
            call()
        assert str(caught.value) == message


def test_a_report_lists_each_plane_of_three_classes():
    corners = Dataset.from_rows([[0, 0], [1, 0], [9, 0], [9, 1], [0, 9], [1, 9]], list("aabbcc"))
    found = perceptron(corners)
    lines = [report(machine, 6) for machine in found.machines]
    assert str(found) == "\n  ".join(["perceptron on 6 rows, 3 classes: separated.", *lines])
    signs = np.where(np.array(list("aabbcc")) == "b", 1.0, -1.0)
    assert found.machines[1] == learned(primal(np.array(corners.columns, float).T, signs), "b", 1000, last)
    assert found.scores(corners)[:, 1].tolist() == found.machines[1].plane(np.array(corners.columns, float).T).tolist()
    assert sqrt(sum(weight**2 for weight in found.machines[1].plane.weights)) > 0


def test_a_choice_that_reads_only_some_planes_ends_by_itself():
    found = perceptron(LINE, pick=lambda steps, _: next(steps).state)
    (machine,) = found.machines
    assert (machine.end, machine.epochs, machine.mistakes, machine.plane) == ("epochs", 1, 0, Hyperplane((0,), 0))


def test_classifiers_are_equal_by_what_they_were_made_of():
    for options in ({"kernel": inner}, {"scale": standard}, {}):
        assert perceptron(LINE, **options) == perceptron(LINE, **options) != perceptron(LINE, epochs=3)
    assert repr(perceptron(LINE)) == f"perceptron({LINE!r}, epochs=1000, kernel=None, pick=last, scale=unscaled)"
