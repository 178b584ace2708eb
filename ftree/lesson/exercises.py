"""Exercises: a random table from a known tree, questions about it, and answers that are checked with a reason."""

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.faces import Face, Grid
from ftree._lib.fields import as_tuple, is_finite, require_count, require_probability, require_whole_number
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset
from ftree.datasets.generators import noisy_labels
from ftree.explain import scores
from ftree.explain.explain_row import explain_row
from ftree.growth import grow
from ftree.lesson.worked_calculation import work_out
from ftree.policy import ID3
from ftree.prune.weakest_links import cost_complexity_path
from ftree.routing.predict import predict
from ftree.show.compare_trees import compare_trees
from ftree.tree.edit import conditions_along, diff, node_at
from ftree.tree.fold import n_leaves, unfold
from ftree.tree.nodes import Leaf, Tree
from ftree.tree.schema import Feature, Schema
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
    """A question, the answers that are right, the first of which is told, and the reason; prints as its text.

    >>> ExerciseQuestion("Which label?", ("yes",), "Every row has it.").check("Yes ")
    Right. The answer is yes.
    Every row has it.
    """

    text: str
    answers: tuple[Hashable, ...] = field(converter=as_tuple)
    reason: str

    def check(self, answer: Any) -> CheckedAnswer:
        """Whether an answer is one of the right ones: numbers to two decimals, texts whatever their case and blanks."""
        told = f"{self.answers[0]:.3f}" if isinstance(self.answers[0], float) else self.answers[0]
        return CheckedAnswer(any(_agrees(each, answer) for each in self.answers), f"The answer is {told}.\n{self.reason}")

    def _parts(self) -> Iterator[str]:
        yield self.text


def _agrees(right: Any, answer: Any) -> bool:
    if isinstance(right, float | int):
        try:
            number = float(answer)
        except (TypeError, ValueError):
            return False
        return is_finite(number) and abs(number - right) < _NEAR
    return " ".join(str(answer).split()).casefold() == " ".join(str(right).split()).casefold()


@frozen
class Exercise(Face):
    """A table, the tree by which its rows were labelled, the tree that ID3 grows, and questions; prints table and questions.

    >>> made = exercise(8, seed=1)
    >>> made.truth, made.tree
    (<Tree for 'y': 7 nodes, 4 leaves>, <Tree for 'y': 7 nodes, 4 leaves>)
    """

    dataset: Dataset
    truth: Tree
    tree: Tree
    questions: tuple[ExerciseQuestion, ...] = field(converter=as_tuple)

    def _parts(self) -> Iterator[str | Grid]:
        rows = self.dataset.rows()
        yield Grid(list(rows[0]), [list(map(str, row.values())) for row in rows])
        yield "\n".join(f"{number}. {question.text}" for number, question in enumerate(self.questions, 1))


def exercise(n: int = 12, *, features: int = 3, depth: int = 2, noise: float = 0.0, seed: int = 0) -> Exercise:
    """A random table of `n` rows, labelled by a random tree of that depth, and four questions about it.

    They ask for the gain of a feature, the label of a row, the branch that cost-complexity pruning cuts first, if any, and the
    leaves with one more row. Each label is wrong with the probability `noise`. The same seed makes the same exercise.

    Raises a ValueError for numbers of rows or features below 1, a depth that is not below the number of features plus 1, or
    noise that is not between 0 and 1.

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
    tree = grow(dataset, ID3)
    return Exercise(dataset, truth, tree, _questions(dataset, tree, random))


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


def _questions(dataset: Dataset, tree: Tree, random: np.random.Generator) -> Iterator[ExerciseQuestion]:
    asked = scores(dataset).rows[int(random.integers(len(dataset.schema.features)))]
    why = str(work_out(dataset, asked.feature)) if asked.children else "All rows have one value."
    yield ExerciseQuestion(f"What is the information gain of {asked.feature}, in bits?", (asked.gain,), why)
    new = _random_rows(dataset.schema, 1, random)
    row = new.rows()[0]
    told = ", ".join(f"{feature.name} = {row[feature.name]}" for feature in dataset.schema.features)
    explained = explain_row(tree, row)
    yield ExerciseQuestion(f"Which label does the tree of ID3 give to {told}?", (explained.label,), str(explained))
    yield from _question_of_pruning(tree)
    other = next(label for label in dataset.schema.classes if label != explained.label)
    after = grow(dataset.concatenate(_labelled(new, np.array([other]))), ID3)
    text = f"How many leaves has the tree with one more row, {told}, whose label is {other}?"
    yield ExerciseQuestion(text, (n_leaves(after),), str(compare_trees(tree, after)))


def _question_of_pruning(tree: Tree) -> Iterator[ExerciseQuestion]:
    """Which branch is cut first; links that are equally weak are all right."""
    step = next((each for each in cost_complexity_path(tree) if each.tree != tree), None)
    if step is not None:
        cut = [path for path in diff(tree, step.tree) if isinstance(node_at(step.tree, path), Leaf)]
        answers = [("root", *words)[-1] for words in conditions_along(tree, cut)]
        text = "Which branch does cost-complexity pruning cut first? Answer by its last condition, or by: root"
        yield ExerciseQuestion(text, answers, f"Its alpha, {step.alpha:.3f}, is the lowest.")
