"""Exercises: a random table from a known tree, or one of your own, questions about it, and answers checked with a reason."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import missing_cells
from ftree._lib.faces import Face, Grid
from ftree._lib.fields import (
    as_tuple,
    is_finite,
    is_iterable,
    require_count,
    require_one_of,
    require_probability,
    require_whole_number,
)
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.datasets.generators import noisy_labels
from ftree.explain import scores
from ftree.explain.explain_row import explain_row
from ftree.growth import grow
from ftree.lesson.worked_calculation import Calculation, work_out
from ftree.policy import ID3
from ftree.prune.explain import explain
from ftree.prune.reduced_error import reduced_error
from ftree.prune.weakest_links import cost_complexity_path
from ftree.routing.predict import predict
from ftree.show.compare_trees import compare_trees
from ftree.tree.edit import conditions_along, diff
from ftree.tree.fold import n_leaves, unfold
from ftree.tree.nodes import Leaf, Tree
from ftree.tree.schema import Feature, Schema, require_classes
from ftree.tree.splits import Multiway

# Answers in numbers are right to two decimals.
_NEAR = 0.0051


@frozen
class CheckedAnswer(Face):
    """Whether an answer is right, and why; prints as both.

    >>> CheckedAnswer(False, "The gain is 0.247.")
    Not right. The gain is 0.247.
    """

    is_right: bool
    reason: str

    def _parts(self) -> Iterator[str]:
        yield f"{'Right.' if self.is_right else 'Not right.'} {self.reason}"


@frozen
class ExerciseQuestion(Face):
    """A question, the answers that are right, the first of which is told, and the reason, a text or a value; prints as its text.

    >>> ExerciseQuestion("Which label?", ("yes",), "Every row has it.").check("Yes ")
    Right. The answer is yes.
    Every row has it.
    """

    text: str
    answers: tuple[Hashable, ...] = field(converter=as_tuple)
    reason: Any

    @property
    def told(self) -> str:
        """The first of the right answers, in a sentence."""
        return (
            f"The answer is {self.answers[0]:.3f}." if isinstance(self.answers[0], float) else f"The answer is {self.answers[0]}."
        )

    def check(self, answer: Any) -> CheckedAnswer:
        """Whether an answer is one of the right ones: numbers to two decimals, texts whatever their case and blanks."""
        return CheckedAnswer(any(_agrees(each, answer) for each in self.answers), f"{self.told}\n{self.reason}")

    def _parts(self) -> Iterator[str]:
        yield self.text


def _agrees(right: Any, answer: Any) -> bool:
    if isinstance(right, float | int) and not isinstance(right, bool):
        try:
            number = float(answer)
        except (TypeError, ValueError):
            return False
        return is_finite(number) and abs(number - right) < _NEAR
    return " ".join(str(answer).split()).casefold() == " ".join(str(right).split()).casefold()


@frozen
class Solutions(Face):
    """The questions of an exercise with their answers and reasons; `latex` writes them for a sheet.

    >>> print(str(exercise(8, seed=1).solutions).splitlines()[1])
    The answer is 0.311.
    """

    questions: tuple[ExerciseQuestion, ...] = field(converter=as_tuple)

    def _parts(self) -> Iterator[str | Face]:
        for number, question in enumerate(self.questions, 1):
            yield f"{number}. {question.text}\n{question.told}"
            yield question.reason


@frozen
class Exercise(Face):
    """A table, the tree by which its rows were labelled, the tree that ID3 grows, and questions; prints table and questions.

    A table of your own has no known tree: `truth` is None. `pruning_set` has the rows of a question about reduced error.

    >>> made = exercise(8, seed=1)
    >>> made.truth, made.tree
    (<Tree for 'y': 7 nodes, 4 leaves>, <Tree for 'y': 7 nodes, 4 leaves>)
    """

    dataset: Dataset
    truth: Tree | None
    tree: Tree
    questions: tuple[ExerciseQuestion, ...] = field(converter=as_tuple)
    pruning_set: Dataset | None = None

    @property
    def solutions(self) -> Solutions:
        """The questions with their answers and reasons."""
        return Solutions(self.questions)

    def _parts(self) -> Iterator[str | Grid]:
        yield _grid(self.dataset)
        if self.pruning_set is not None:
            yield "The pruning set:"
            yield _grid(self.pruning_set)
        yield "\n".join(f"{number}. {question.text}" for number, question in enumerate(self.questions, 1))


def _grid(dataset: Dataset) -> Grid:
    rows = dataset.rows()
    return Grid(list(rows[0]), [list(map(str, row.values())) for row in rows])


# What questions are usually about.
_USUAL = ("gain", "label", "pruning", "new row")


def exercise(
    n: int = 12, *, features: int = 3, depth: int = 2, noise: float = 0.0, about: Iterable[str] = _USUAL, seed: int = 0
) -> Exercise:
    """A random table of `n` rows, labelled by a random tree of that depth, and questions about it.

    They ask for the "gain" of a feature, the "label" of a row, the branch that cost-complexity "pruning" cuts first, if any, and
    the leaves with one "new row"; on request also for the "gain ratio" or "chi-squared" of a feature, and for the leaves that are
    left by pruning by "reduced error" with a pruning set of half as many rows. Each label is wrong with the probability `noise`.
    The same seed makes the same exercise.

    Raises a ValueError for numbers of rows or features below 1, a depth above the number of features,
    noise that is not between 0 and 1, or a question about anything else.

    >>> given = exercise(8, seed=1)
    >>> print(given)
    x1  x2  x3  y
    a   b   b   no
    b   a   a   no
    b   b   a   no
    a   b   a   no
    a   b   a   no
    a   b   b   no
    a   a   b   yes
    b   b   b   yes
    1. What is the information gain of x3, in bits?
    2. Which label does the tree of ID3 give to x1 = a, x2 = a, x3 = a?
    3. Which branch does cost-complexity pruning cut first? Answer by its last condition, or by: root
    4. How many leaves has the tree with one more row, x1 = a, x2 = a, x3 = a, whose label is yes?
    >>> print(given.questions[1].check("no"))
    Right. The answer is no.
    y = no
      all cases: 6 no, 2 yes
      x3 = a: 4 no, 0 yes
    yes if x3 = b (now a): 0 no, 1 yes
    """
    require_count("n", n, 1)
    require_count("features", features, 1)
    require_whole_number("depth", depth, 1, most=features)
    require_probability("noise", noise)
    random = generator_of(seed)
    schema = Schema([Feature(f"x{number}", "nominal", ("a", "b")) for number in range(1, features + 1)], "y", ("no", "yes"))
    unlabelled = _random_rows(schema, n, random)
    truth = _random_tree(schema, depth, random)
    exact = _labelled(unlabelled, predict(truth, unlabelled))
    dataset = noisy_labels(exact, noise, seed=seed)
    listed = _checked(about)
    more = _random_rows(schema, max(n // 2, 1), random) if "reduced error" in listed else None
    pruning_set = None if more is None else noisy_labels(_labelled(more, predict(truth, more)), noise, seed=seed + 1)
    return _made(dataset, truth, listed, pruning_set, partial(_random_rows, schema, 1), random)


def exercise_on(
    dataset: Dataset, *, about: Iterable[str] = _USUAL, pruning_set: Dataset | None = None, seed: int = 0
) -> Exercise:
    """Questions about a table of your own with classes, as `exercise` asks them; rows that they ask about mix its values.

    A question about "reduced error" needs a `pruning_set`.

    Raises a TypeError for anything but a dataset, a ValueError for a target without classes, for a question about anything else,
    and for "reduced error" without a pruning set.

    >>> from ftree.datasets import weather
    >>> asked = exercise_on(weather(), about="chi-squared").questions[0]
    >>> asked, asked.told
    (What is the chi-squared statistic of temperature?, 'The answer is 0.570.')
    """
    require_dataset(dataset)
    require_classes(dataset.schema, "exercise_on", "a dataset")
    listed = _checked(about)
    if "reduced error" in listed and pruning_set is None:
        raise ValueError("pruning_set must be a dataset for a question about reduced error, got None.")
    return _made(dataset, None, listed, pruning_set, partial(_mixed_row, dataset), generator_of(seed))


def _checked(about: Any) -> tuple[str, ...]:
    listed = as_tuple(about) if is_iterable(about) and not isinstance(about, str) else (about,)
    for each in listed:
        require_one_of("about", each, tuple(_QUESTIONS))
    return listed


def _made(
    dataset: Dataset, truth: Tree | None, about: tuple[str, ...], pruning_set: Dataset | None, new_row: Any, random: Any
) -> Exercise:
    case = _Case(dataset, grow(dataset, ID3), random, new_row, pruning_set)
    questions = [question for each in about for question in _QUESTIONS[each](case)]
    return Exercise(dataset, truth, case.tree, questions, pruning_set)


def _mixed_row(dataset: Dataset, random: np.random.Generator) -> Dataset:
    """A row each of whose values is that of any row, and known if any row has one."""
    known = [np.flatnonzero(~missing_cells(column)) for column in dataset.columns]
    places = [int(random.choice(rows)) if len(rows) else 0 for rows in known]
    return evolve(
        dataset.take([0]), columns=[column[[at]] for column, at in zip(dataset.columns, places, strict=True)], weights=None
    )


def _random_rows(schema: Schema, n: int, random: np.random.Generator) -> Dataset:
    """Rows of equally probable values, all of the first class."""
    return Dataset(schema, random.integers(0, 2, (n, len(schema.features))).astype(np.int8).T, np.zeros(n, np.int8))


def _labelled(dataset: Dataset, labels: Any) -> Dataset:
    return evolve(dataset, target_column=(labels == dataset.schema.classes[1]).astype(np.int8))


def _random_tree(schema: Schema, depth: int, random: np.random.Generator) -> Tree:
    """A tree of a depth that tests no feature twice on a path; two branches never have the same labels in the same order."""

    def step(state: tuple[tuple[int, ...], int]) -> Any:
        used, label = state
        if len(used) == depth:
            return Leaf([1 - label, label])
        feature = int(random.choice([number for number in range(len(schema.features)) if number not in used]))
        each = 2 ** (depth - len(used) - 1)
        return (each, each), Multiway(feature, (0, 1)), [((*used, feature), label), ((*used, feature), 1 - label)]

    return Tree(schema, unfold(((), int(random.integers(2))), step))


@frozen(eq=False)
class _Case:
    """What questions are about; the row that some of them ask about is drawn once."""

    dataset: Dataset
    tree: Tree
    random: np.random.Generator
    new_row: Callable[[np.random.Generator], Dataset]
    pruning_set: Dataset | None

    @cached_property
    def row(self) -> tuple[Dataset, Mapping[str, Any], str]:
        """The row, also as a mapping and in words."""
        drawn = self.new_row(self.random)
        (row,) = drawn.rows()
        told = ", ".join(f"{feature.name} = {row[feature.name]}" for feature in self.dataset.schema.features)
        return drawn, row, told


# Why a feature has no score.
_NO_SPLIT = "No two rows have different values."


def _question_of_score(name: str, asked_for: str, case: _Case) -> Iterator[ExerciseQuestion]:
    rows = scores(case.dataset).rows
    asked = rows[int(case.random.integers(len(rows)))]
    why = work_out(case.dataset, asked.feature) if asked.children else _NO_SPLIT
    answer = why[name] if isinstance(why, Calculation) else 0.0
    yield ExerciseQuestion(f"What is the {asked_for.format(asked.feature)}?", (answer,), why)


def _question_of_label(case: _Case) -> Iterator[ExerciseQuestion]:
    _, row, told = case.row
    explained = explain_row(case.tree, row)
    yield ExerciseQuestion(f"Which label does the tree of ID3 give to {told}?", (explained.label,), explained)


def _question_of_new_row(case: _Case) -> Iterator[ExerciseQuestion]:
    new, row, told = case.row
    own, classes = predict(case.tree, row), case.dataset.schema.classes
    other = next((number for number, label in enumerate(classes) if label != own), 0)
    after = grow(case.dataset.concatenate(evolve(new, target_column=np.full_like(new.target_column, other))), ID3)
    text = f"How many leaves has the tree with one more row, {told}, whose label is {classes[other]}?"
    yield ExerciseQuestion(text, (n_leaves(after),), compare_trees(case.tree, after))


def _question_of_pruning(case: _Case) -> Iterator[ExerciseQuestion]:
    """Which branch is cut first; links that are equally weak are all right."""
    step = next((each for each in cost_complexity_path(case.tree) if each.tree != case.tree), None)
    if step is not None:
        answers = [("root", *words)[-1] for words in conditions_along(case.tree, diff(case.tree, step.tree))]
        text = "Which branch does cost-complexity pruning cut first? Answer by its last condition, or by: root"
        yield ExerciseQuestion(text, answers, f"Its alpha, {step.alpha:.3f}, is the lowest.")


def _question_of_reduced_error(case: _Case) -> Iterator[ExerciseQuestion]:
    pass_ = reduced_error(case.pruning_set)
    text = "How many leaves are left by reduced-error pruning of the tree of ID3 with the pruning set?"
    yield ExerciseQuestion(text, (n_leaves(pass_(case.tree)),), str(explain(pass_, case.tree)))


_Question: TypeAlias = Callable[[_Case], Iterator[ExerciseQuestion]]
_QUESTIONS: Mapping[str, _Question] = {
    "gain": partial(_question_of_score, "gain", "information gain of {}, in bits"),
    "gain ratio": partial(_question_of_score, "gain ratio", "gain ratio of {}"),
    "chi-squared": partial(_question_of_score, "chi-squared", "chi-squared statistic of {}"),
    "label": _question_of_label,
    "pruning": _question_of_pruning,
    "new row": _question_of_new_row,
    "reduced error": _question_of_reduced_error,
}
