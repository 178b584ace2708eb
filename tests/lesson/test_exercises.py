"""Exercises: known trees, reproducible tables, and answers that agree with the library's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, depth, gain, grow, latex, n_leaves, page, predict, prune
from ftree.datasets import weather, xor
from ftree.lesson import exercise, exercise_on, work_out
from ftree.lesson.exercises import ExerciseQuestion
from ftree.lesson.worked_calculation import Calculation
from ftree.testing import datasets
from ftree.tree import diff, node_at, subtree_at, walk
from ftree.tree.describe import condition

depths = st.integers(1, 3)
sizes = depths.flatmap(lambda deep: st.tuples(st.integers(1, 20), st.integers(deep, 4), st.just(deep), st.integers(0, 99)))


@given(sizes)
def test_the_known_tree_labels_the_rows_and_the_seed_gives_the_same_exercise(size):
    n, features, deep, seed = size
    made = exercise(n, features=features, depth=deep, seed=seed)
    assert predict(made.truth, made.dataset).tolist() == [row["y"] for row in made.dataset.rows()]
    assert (depth(made.truth), n_leaves(made.truth), len(made.dataset)) == (deep, 2**deep, n)
    assert made.tree == grow(made.dataset)
    assert str(exercise(n, features=features, depth=deep, seed=seed)) == str(made)


@given(sizes)
def test_a_branch_of_the_known_tree_has_the_counts_of_its_children(size):
    n, features, deep, seed = size
    for _, node in walk(exercise(n, features=features, depth=deep, seed=seed).truth):
        if hasattr(node, "split"):
            assert node.counts == tuple(map(sum, zip(*(child.counts for child in node.children), strict=True)))


@given(sizes, st.sampled_from([0, 0.3]))
def test_its_own_answers_are_right_and_others_are_not(size, noise):
    n, features, deep, seed = size
    made = exercise(n, features=features, depth=deep, noise=noise, seed=seed)
    for question in made.questions:
        for answer in question.answers:
            verdict = question.check(answer)
            assert verdict.is_right
            assert verdict.reason.startswith("The answer is ")
        assert not question.check("no answer at all").is_right
        assert not question.check(None).is_right
    feature = made.questions[0].text.split(" of ")[1].split(",")[0]
    groups = [group.class_counts() for group in made.dataset.group_by(feature).values()]
    assert made.questions[0].answers[0] == pytest.approx(float(gain(groups)), abs=1e-9)
    label, leaves = made.questions[1].answers[0], made.questions[-1].answers[0]
    row = dict(pair.split(" = ") for pair in made.questions[1].text.split(" give to ")[1].rstrip("?").split(", "))
    assert label == predict(made.tree, row)
    assert leaves >= 1
    assert made.questions[-1].text.endswith(f"whose label is {'no' if label == 'yes' else 'yes'}?"), (
        "a row that fits changes no tree"
    )


@given(st.integers(0, 60))
def test_the_branch_that_is_cut_first_is_that_of_the_pruning_path(seed):
    made = exercise(14, noise=0.2, seed=seed)
    asked = [question for question in made.questions if "cost-complexity" in question.text]
    if n_leaves(made.tree) == 1:
        assert not asked
        return
    path = list(prune.cost_complexity_path(made.tree))
    after = next(each.tree for each in path if each.tree != made.tree)
    cut = {at for at, node in walk(after) if at in diff(made.tree, after) and not hasattr(node, "split")}
    last = [condition(made.tree.schema, node_at(made.tree, at[:-1]).split, at[-1]) if at else "root" for at in cut]
    assert sorted(asked[0].answers) == sorted(last)
    assert subtree_at(after, next(iter(cut))).root.counts == subtree_at(made.tree, next(iter(cut))).root.counts


def test_numbers_are_right_to_two_decimals_and_texts_whatever_their_case():
    number, text = ExerciseQuestion("?", (0.2467,), ""), ExerciseQuestion("?", ("x1 = a", "root"), "")
    given_numbers = (0.25, "0.247", "0.2", 0.26, "nan", "one")
    assert [number.check(each).is_right for each in given_numbers] == [True, True, False, False, False, False]
    assert [text.check(given).is_right for given in ("X1  = a", "Root", "x1 = b")] == [True, True, False]
    truth = ExerciseQuestion("?", (False,), "")
    assert [truth.check(given).is_right for given in ("False", False, "true", 0)] == [True, True, False, False]
    assert repr(text) == "?"
    assert str(number.check(1)) == "Not right. The answer is 0.247.\n"


def test_an_exercise_prints_its_table_and_numbered_questions():
    made = exercise(5, seed=2)
    assert str(made).splitlines()[0] == "x1  x2  x3  y"
    assert [line[:2] for line in str(made).splitlines()[6:]] == [f"{n}." for n in range(1, len(made.questions) + 1)]
    assert "<table>" in made._repr_html_()
    assert page(made.truth)


ALL = ("gain", "gain ratio", "chi-squared", "label", "pruning", "new row", "reduced error")


@given(sizes, st.sampled_from([0, 0.3]))
def test_questions_on_request_are_answered_as_the_library_answers(size, noise):
    n, features, deep, seed = size
    made = exercise(n, features=features, depth=deep, noise=noise, about=ALL, seed=seed)
    ratio, chi_squared = (question for question in made.questions[1:3])
    for question, name in ((ratio, "gain ratio"), (chi_squared, "chi-squared")):
        feature = question.text.split(" of ")[1].rstrip("?")
        varies = len(set(made.dataset[feature])) > 1
        assert question.answers[0] == (work_out(made.dataset, feature)[name] if varies else 0.0)
    assert made.questions[-1].answers == (n_leaves(prune.reduced_error(made.pruning_set)(made.tree)),)
    assert len(made.pruning_set) == max(n // 2, 1)
    solved = str(made.solutions)
    assert all(f"{number}. {question.text}\n{question.told}" in solved for number, question in enumerate(made.questions, 1))


@given(datasets(weighted=True), st.integers(0, 9))
def test_any_table_of_classes_makes_an_exercise(data, seed):
    made = exercise_on(data, about=ALL, pruning_set=data, seed=seed)
    assert (made.truth, made.tree, made.dataset) == (None, grow(data), data)
    assert len(made.questions) == len(ALL) - (n_leaves(made.tree) == 1)
    assert all(question.check(question.answers[0]).is_right for question in made.questions)
    assert "The pruning set:" in str(made)
    assert str(exercise_on(data, about=ALL, pruning_set=data, seed=seed)) == str(made)


def test_other_labels_are_wrong_in_the_pruning_set_than_in_the_table():
    made = exercise(200, noise=0.3, about="reduced error", seed=3)
    wrong, other = (predict(made.truth, rows) != rows.labels for rows in (made.dataset, made.pruning_set))
    assert (other & ~wrong[: len(other)]).any()


def test_a_gain_of_nothing_is_worked_out_as_well():
    (question,) = exercise_on(xor(), about="gain").questions
    assert question.answers == (0.0,)
    assert isinstance(question.reason, Calculation)


def test_a_row_that_is_asked_about_mixes_known_values():
    data = Dataset.from_rows([["a", None, None], ["b", None, "c"], [None, None, None]], ["no", "yes", "yes"])
    asked = {exercise_on(data, about="label", seed=seed).questions[0].text for seed in range(20)}
    assert {text.split(" give to ")[1] for text in asked} == {"x0 = a, x1 = None, x2 = c?", "x0 = b, x1 = None, x2 = c?"}


def test_solutions_are_a_sheet_for_latex_with_calculations_as_formulas():
    sheet = latex(exercise_on(weather(), about=("gain", "label"), seed=1).solutions)
    assert sheet.count(r"\[") == 1 == sheet.count(r"\begin{aligned}")
    assert r"1. What is the information gain of" in sheet
    assert latex(exercise_on(weather(), about="gain")).count(r"\begin{tabular}{lllll}") == 1


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: exercise(about=5), ValueError, "about must be one of 'gain', .*, got 5"),
        (lambda: exercise(about="alpha"), ValueError, "about must be one of 'gain', 'gain ratio', 'chi-squared', 'label'"),
        (lambda: exercise_on(weather(), about="reduced error"), ValueError, "pruning_set must be a dataset for a question about"),
        (lambda: exercise_on([["a"]]), TypeError, "dataset must be a Dataset, got a list"),
        (
            lambda: exercise_on(Dataset.from_rows([[1], [2]], [0.5, 1.5])),
            ValueError,
            "exercise_on must be given a classification dataset, got a regression",
        ),
    ],
)
def test_questions_that_cannot_be_asked_are_refused(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


SIZES = [({"n": 0}, "n must be"), ({"depth": 4}, "depth must be"), ({"noise": 2}, "noise must")]


@pytest.mark.parametrize(("given_size", "message"), SIZES)
def test_sizes_that_make_no_exercise_are_refused(given_size, message):
    with pytest.raises(ValueError, match=message):
        exercise(**given_size)
