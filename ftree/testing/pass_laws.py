"""Checks for pruning passes and their decisions, for paths of prunings, and for choices of one tree of a path."""

import pickle
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, zip_longest
from math import inf
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ftree._lib.fields import require_function
from ftree.criteria.impurity import Impurity, misclassification
from ftree.data.dataset import Dataset
from ftree.prune import Decision, Pass, PathStep, collapse, compose, decisions_of, explain, replay
from ftree.prune.decisions import Done, after
from ftree.prune.path_choice import Measured, PathChoice, measured, select
from ftree.prune.path_validation import cross_validated
from ftree.prune.weakest_links import cost_complexity_path
from ftree.routing.missing_rules import weighted
from ftree.testing.laws import NEAR, ask_again, equal, law, near, trying, way_down
from ftree.testing.strategies import branch_of, datasets, trees
from ftree.tree.edit import is_pruning_of, subtree_at
from ftree.tree.fold import fold, leaves, n_leaves, n_nodes
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree, children, preorder
from ftree.tree.schema import Schema

_Law: TypeAlias = Literal["pruning", "once", "order", "deep"]
# Levels of a tree that passes prune in compiled code, where it is at hand, and of trees of which one is deeper than the other.
_LARGE, _LEVELS = 64, (16, 48)
_REMEDY = "; prune.from_function makes such a pass from a function that rebuilds its tree"
# The score of a leaf, from its class counts and the tree that is pruned.
Estimate: TypeAlias = Callable[[Counts, Tree], float]


def check_pass(
    pass_: Pass,
    *,
    given_trees: SearchStrategy[Tree] | None = None,
    oracle: Callable[[Tree], Tree | Iterable[Decision]] | None = None,
    estimate: Estimate | None = None,
    exempt: Collection[_Law] = (),
) -> None:
    """Check a pass: it returns a pruning, pruning twice is pruning once, its input is unchanged, and equal subtrees are shared.

    A pass that cuts nothing must return its input; `prune.from_function` makes such a pass from a function that rebuilds its
    tree. If the pass has `decisions`, each has the counts of its branch, and scores that justify the decision. They come
    children first or parents first, and replaying them gives the result, for large trees as well.

    `oracle` gives the right result: a function from a tree to the pruned tree, whose counts may differ by rounding, or to all
    decisions, with their scores.
    `estimate` is the score of a leaf, from its counts and the tree given; a decision must compare it with the sum over the leaves
    that the decisions before it left.

    A pass that raises subtrees or recounts cases is `exempt` from "pruning". A pass whose second run has other counts, or
    examines subtrees that the first run cut, is exempt from "once". A pass that judges in another order is exempt from "order".
    One that calls itself for each child, and so raises a RecursionError for trees deeper than Python's stack, is exempt from
    "deep".

    >>> from ftree.prune import collapse
    >>> check_pass(collapse(), estimate=lambda counts, _: sum(counts) - max(counts))
    """
    require_function("pass_", pass_)

    drawn = _doubled(trees() | trees(fractions=True)) if given_trees is None else given_trees
    seen = list[Tree]()

    @trying()
    @given(drawn | drawn.map(lambda tree: evolve(tree, missing=weighted())))
    def laws(tree: Tree) -> None:
        seen.append(tree)
        copy = pickle.loads(pickle.dumps(tree))  # noqa: S301  # made here
        pruned = pass_(tree)
        _check_result(pass_, tree, pruned, exempt)
        law("pruning leaves its input unchanged", tree == copy, got=tree.root, wanted=copy.root)
        if hasattr(pass_, "decisions"):
            check_decisions(pass_, tree, pruned, estimate, exempt)
        if oracle is not None:
            _check_oracle(pass_, tree, pruned, oracle(tree))
        both = compose(pass_, collapse())(tree)
        law("a pass composes with another one", both == collapse()(pruned), got=both.root, tree=tree.root)

    @trying(fewer=10)
    @given(trees() if given_trees is None else given_trees)
    def laws_of_large_trees(tree: Tree) -> None:
        large = _enlarged(tree, _LARGE)
        told, pruned = replay(decisions_of(pass_, large), large), pass_(large)
        law("a large tree is pruned as its decisions say", told == pruned, got=pruned.root, wanted=told.root)

    ask_again(laws, pass_, lambda own, tree: (own(_shallow(tree)), own(tree)), every=3)
    if hasattr(pass_, "decisions"):
        laws_of_large_trees()
    if "deep" not in exempt:
        _check_deep(pass_, seen, exempt="deep")


def _doubled(own: SearchStrategy[Tree]) -> SearchStrategy[Tree]:
    """Trees, and trees with two of one shape: with equal counts in nodes, or equally weak links below a strong one."""
    return own | st.builds(_beside, own, st.just(_shallow)) | st.builds(_beside, own, st.just(_mirrored))


def _beside(tree: Tree, other: Callable[[Tree], Tree]) -> Tree:
    root = tree.root
    n = len(children(root))
    return evolve(tree, root=branch_of(root.split, ([root, other(tree).root] * n)[:n])) if isinstance(root, Branch) else tree


def _mirrored(tree: Tree) -> Tree:
    """The tree with the classes in reverse order and one more case of each in every leaf: links are as weak, but for rounding."""

    def leaf(one: Leaf) -> Node:
        return Leaf([count + 1 for count in reversed(one.counts)])

    return evolve(tree, root=fold(tree, leaf, lambda branch, below: branch_of(branch.split, below)))


def _shallow(tree: Tree) -> Tree:
    """The tree without what is below the root's children."""
    root = tree.root
    return tree if isinstance(root, Leaf) else evolve(tree, root=evolve(root, children=[Leaf(c.counts) for c in root.children]))


def _enlarged(tree: Tree, levels: int) -> Tree:
    """The tree below its root's split, again and again, beside leaves without cases, if there are any beside it."""
    root = tree.root
    if isinstance(root, Leaf) or len(root.children) == 1:
        return tree
    others = [Leaf([0] * len(root.counts))] * (len(root.children) - 1)
    for _ in range(levels):
        root = Branch(root.counts, root.split, [*others, root])
    return evolve(tree, root=root)


def _check_deep(prune: Callable[[Tree], object], trees: Iterable[Tree], exempt: str = "") -> None:
    """A pass makes as many calls within calls for more levels, so that it prunes trees deeper than Python's stack."""
    shallow, deep = (_enlarged(max(trees, key=n_leaves), levels) for levels in _LEVELS)
    prune(deep)  # what is loaded now makes calls as well
    usual, most = _calls_within_calls(prune, shallow), _calls_within_calls(prune, deep)
    law("a pass does not call itself for each child", most < usual + _LEVELS[0], got=most, wanted=usual, exempt=exempt)


def _calls_within_calls(function: Callable[[Tree], object], tree: Tree) -> int:
    """How many calls within each other a function makes at most."""
    events, before = list[str](), sys.getprofile()
    sys.setprofile(lambda _frame, event, _argument: events.append(event))
    try:
        function(tree)
    finally:
        sys.setprofile(before)
    return max(accumulate((event == "call") - (event == "return") for event in events))


def _check_result(pass_: Pass, tree: Tree, pruned: Tree, exempt: Collection[_Law]) -> None:
    """The laws of a pruned tree, whatever the pass."""

    def holds(text: str, truth: object, name: str = "") -> None:
        law(text, truth, got=pruned.root, exempt=name, tree=tree.root)

    holds("a pass returns a pruning of its input", "pruning" in exempt or is_pruning_of(pruned, tree), "pruning")
    holds("a pass adds no leaf", n_leaves(pruned) <= n_leaves(tree))
    holds("a pass keeps the schema", pruned.schema == tree.schema)
    holds("a pass keeps the prediction rule", pruned.missing == tree.missing)
    holds("pruning twice is pruning once", "once" in exempt or pass_(pruned) == pruned, "once")
    holds("a pass that cuts nothing returns the same object" + _REMEDY, pruned is tree or pruned != tree)
    holds("untouched subtrees are shared" + _REMEDY, "pruning" in exempt or _shares(pruned, tree), "pruning")


def _check_oracle(pass_: Pass, tree: Tree, pruned: Tree, wanted: Tree | Iterable[Decision]) -> None:
    if isinstance(wanted, Tree):
        alike = _alike(pruned, wanted)
        law("a pass returns what the oracle returns", alike, got=pruned.root, wanted=wanted.root, tree=tree.root)
    else:
        check_against(decisions_of(pass_, tree), wanted)


def _alike(one: Tree, other: Tree) -> bool:
    """Whether two trees have the same splits, and the same counts except for rounding errors."""
    pairs = list(zip_longest(preorder(one), preorder(other)))
    splits = [[getattr(node, "split", None) for node in pair] for pair in pairs]
    return all(None not in pair and near(pair[0].counts, pair[1].counts) for pair in pairs) and all(a == b for a, b in splits)


def _shares(pruned: Tree, tree: Tree) -> bool:
    """Whether equal subtrees at equal paths are the same object."""
    pairs: list[tuple[Node, Node]] = [(pruned.root, tree.root)]
    while pairs:
        one, other = pairs.pop()
        if one is not other:
            if one == other:
                return False
            if isinstance(one, Branch) and isinstance(other, Branch):
                pairs.extend(zip(one.children, other.children, strict=True))
    return True


def check_decisions(pass_: Pass, tree: Tree, pruned: Tree, estimate: Estimate | None, exempt: Collection[str]) -> None:
    """Apply the decisions of a pass one by one, each checked on the tree before it; they lead to the pass's result."""
    made = decisions_of(pass_, tree)
    now = tree
    for one in made:
        _check_place(one, now)
        _check_scores(one)
        if estimate is not None:
            _check_figures(one, now, estimate, tree)
        now = after(now, one)
    law("replaying the decisions gives the result", now == pruned, got=now.root, wanted=pruned.root, tree=tree.root)
    if "order" not in exempt and not isinstance(pass_, compose):  # each pass of a composition has its own order
        _check_order(made)
    _check_explained(pass_, tree, made)


def check_against(made: Sequence[Decision], wanted: Iterable[Decision]) -> None:
    """The decisions of a pass are those of an oracle, in the same order, with the same scores."""
    expected = tuple(wanted)
    done = [(one.path, one.done) for one in made]
    equal("a pass decides what the oracle decides", done, [(one.path, one.done) for one in expected])
    for one, other in zip(made, expected, strict=True):
        for name in ("counts", "as_leaf", "as_subtree", "threshold"):
            mine, its = getattr(one, name), getattr(other, name)
            law(f"{name} is that of the oracle", mine == its or near(mine, its), got=mine, wanted=its, decision=one)


def _check_place(one: Decision, now: Tree) -> None:
    """A decision has the counts of its branch, and a cut leaves a leaf with these counts."""
    node = subtree_at(now, one.path).root
    law("a decision is about a branch", isinstance(node, Branch) or one.done == "recounted", got=node, decision=one)
    equal("a decision has the counts of its branch", one.counts, node.counts, decision=one)
    law("only a kept node has no replacement", (one.becomes is None) == (one.done == "kept"), got=one.becomes, decision=one)
    law("a cut leaves a leaf with the branch's counts", not one.cut or one.becomes == Leaf(node.counts), got=one.becomes, of=one)


def _check_scores(one: Decision) -> None:
    """A branch is cut if and only if its score as a leaf is at most the threshold; a tie permits either."""
    if one.as_leaf is None or one.threshold is None or one.tie:
        return
    law("no branch is cut against its scores", not one.cut or one.as_leaf < one.threshold, decision=one)
    law("no branch is kept against its scores", one.done != "kept" or one.as_leaf > one.threshold, decision=one)


def _check_figures(one: Decision, now: Tree, estimate: Estimate, tree: Tree) -> None:
    """The scores are the estimate for the branch as a leaf, and the sum of the estimates for its leaves."""
    branch = subtree_at(now, one.path)
    equal("the score as a leaf is the estimate for its counts", one.as_leaf, estimate(one.counts, tree), decision=one)
    below = sum(estimate(leaf.counts, tree) for leaf in leaves(branch))
    equal("the score as a subtree is the sum of its leaves' estimates", one.as_subtree, below, decision=one, branch=branch.root)


def _check_order(made: Sequence[Decision]) -> None:
    """Each branch is judged once: all children first, or all parents first; from left to right."""
    paths = [one.path for one in made if one.done != "recounted"]
    up, down = sorted(paths, key=lambda path: (*path, inf)), sorted(paths)
    law("decisions come children first or parents first", paths in (up, down), got=paths, wanted=(up, down), exempt="order")
    law("each branch is judged once", len(set(paths)) == len(paths), got=paths)


def _check_explained(pass_: Pass, tree: Tree, made: Sequence[Decision]) -> None:
    """The table of `explain` has a line for each decision, and the text a line for each node; both name the decision."""
    rows = explain(pass_, tree, form="table").splitlines()[1:]
    done = [row.split()[-1] for row in rows[: len(made)]]
    equal("the table of explain has every decision", done, [one.done for one in made])
    notes = len(rows) - len(made)  # a last line, where a pass gives no scores
    law("only a pass without scores has a note", bool(notes) == any(one.as_leaf is None for one in made), got=rows)
    beside = explain(pass_, tree).splitlines()[1:]
    beside = beside[: len(beside) - notes]
    again = len(made) - len({one.path for one in made})
    raised = any(one.done == "raised" for one in made)  # raised nodes are judged again under other paths
    each = raised or len(beside) == n_nodes(tree) + again
    law("the text of explain has a line for each node", each, got=beside, tree=tree)
    said = sorted(last for last in (line.split()[-1] for line in beside if line) if last in get_args(Done))
    equal("the text of explain names the decisions", said, sorted(one.done for one in made))


# Paths of prunings, such as those of weakest links, and choices of one of their trees.


def check_path(
    path: Callable[[Tree], Iterable[Tree | PathStep]],
    *,
    risk: Impurity = misclassification,
    given_trees: SearchStrategy[Tree] | None = None,
) -> None:
    """Check a path: from a tree to prunings of it, the largest first, each a smaller pruning of the one before.

    If it gives steps with alphas, these increase from 0, and leaves, risk and cp are those of the tree, with risks added up leaf
    by leaf. Each tree is then the smallest of the best prunings for its alpha, and remains best up to the next alpha.

    >>> from ftree.prune import cost_complexity_path
    >>> check_path(cost_complexity_path)
    """
    require_function("path", path)
    seen = list[Tree]()

    @trying()
    @given(_doubled(trees()) if given_trees is None else given_trees)
    def laws(tree: Tree) -> None:
        seen.append(tree)
        steps = list(path(tree))
        grown = [step.tree if isinstance(step, PathStep) else step for step in steps]
        law("a path has a tree", bool(grown), tree=tree.root)
        for larger, smaller in pairwise([tree, *grown]):
            law("each tree is a pruning of the one before", is_pruning_of(smaller, larger), got=smaller.root, of=larger.root)
        law("consecutive trees differ", all(a != b for a, b in pairwise(grown)), got=[one.root for one in grown], tree=tree.root)
        if all(isinstance(step, PathStep) for step in steps):
            _check_steps(tree, steps, risk)

    ask_again(laws, path, lambda own, tree: [getattr(step, "tree", step) for step in own(tree)])
    _check_deep(lambda tree: list(path(tree)), seen)


def _check_steps(tree: Tree, steps: Sequence[Any], risk: Impurity) -> None:
    def of_leaf(counts: Counts) -> float:
        if not tree.schema.has_classes:
            return tree.schema.response.risk(counts) / (tree.root.counts[0] or 1)
        return float(risk(np.array(counts, dtype=np.float64))) * sum(counts) / (sum(tree.root.counts) or 1)

    alphas = [step.alpha for step in steps]
    law("alphas increase from 0", alphas[0] == 0 and all(a < b for a, b in pairwise(alphas)), got=alphas, tree=tree.root)
    equal("the last tree is a leaf", steps[-1].leaves, 1, tree=tree.root)
    whole = of_leaf(tree.root.counts)
    for step, following in zip(steps, [*alphas[1:], 2 * alphas[-1] + 1], strict=True):
        equal("a step has the leaves of its tree", step.leaves, n_leaves(step.tree), tree=step.root)
        equal("a step has the risk of its leaves", step.risk, sum(of_leaf(leaf.counts) for leaf in leaves(step.tree)), step=step)
        equal("cp is alpha over the risk of the root", step.cp, step.alpha / whole if whole else 0.0, step=step)
        for alpha in (step.alpha, (step.alpha + following) / 2):
            least, size = _cheapest(tree, of_leaf, alpha)
            cost = step.risk + alpha * step.leaves
            law(f"no pruning is cheaper at alpha = {alpha}", cost <= least + NEAR, got=cost, wanted=least, tree=tree.root)
            equal(f"of the cheapest at alpha = {alpha} it is the smallest", step.leaves, size, tree=tree.root)


def _cheapest(tree: Tree, of_leaf: Callable[[Counts], float], alpha: float) -> tuple[float, int]:
    """The least cost of any pruning, and the leaves of the smallest pruning with that cost."""

    def alone(leaf: Leaf) -> tuple[float, int]:
        return of_leaf(leaf.counts) + alpha, 1

    def better(branch: Branch, below: Sequence[tuple[float, int]]) -> tuple[float, int]:
        cut, kept = of_leaf(branch.counts) + alpha, sum(cost for cost, _ in below)
        return (cut, 1) if cut <= kept + NEAR else (kept, sum(size for _, size in below))

    return fold(tree, alone, better)


_ChoiceLaw: TypeAlias = Literal["order", "smallest"]


def check_path_choice(
    choice: PathChoice,
    *,
    oracle: Callable[[list[tuple[int, float, float]]], int] | None = None,
    exempt: Collection[_ChoiceLaw] = (),
) -> None:
    """Check a choice of one tree of a path: it returns one of the rows, whatever their order, and no other is clearly better.

    The errors by which it chooses are those of the trees' predictions, which the check counts row by row. Two laws can be
    `exempt`. "order": the order of the rows does not matter. "smallest": no tree with as few errors has fewer leaves.

    `oracle` gives the right choice: from each tree's leaves, error and standard error to the number of the tree.

    >>> from ftree.prune import within
    >>> check_path_choice(within(0.1))
    """
    require_function("choice", choice)

    @trying()
    @given(_rows(), st.randoms(use_true_random=False))
    def chooses(rows: list[Measured], random: Any) -> None:
        _check_chosen(choice, rows, exempt)
        order = random.sample(rows, len(rows))
        if "order" not in exempt:
            found = choice(order)
            law("the order of the rows does not matter", _like(found, choice(rows)), got=found, rows=order, exempt="order")
        if oracle is not None:
            wanted = rows[oracle([(row.leaves, row.error, _standard_error(row)) for row in rows])]
            law("a choice is that of the oracle", _like(choice(rows), wanted), got=choice(rows), wanted=wanted, rows=rows)

    @trying(fewer=2)
    @given(_trees_with_cases())
    def measures(drawn: tuple[Tree, Dataset]) -> None:
        _check_measured(choice, *drawn)

    ask_again(chooses, choice, lambda own, rows, **_: own(rows).leaves)
    measures()


def _check_chosen(choice: PathChoice, rows: list[Measured], exempt: Collection[_ChoiceLaw]) -> None:
    """The choice is a row, and among the rows with as few errors it has the fewest leaves."""
    chosen = choice(rows)
    law("a choice returns one of the rows", any(chosen is row for row in rows), got=chosen, rows=rows)
    equal("a standard error is that of a proportion", chosen.standard_error, _standard_error(chosen), row=chosen)
    for row in () if "smallest" in exempt else rows:
        better = (row.error, row.leaves) != (chosen.error, chosen.leaves)
        better = better and row.error <= chosen.error and row.leaves <= chosen.leaves
        text = "no smaller tree has as few errors, and none of its size fewer"
        law(text, not better, got=chosen, exempt="smallest", better=row, rows=rows)


def _check_measured(choice: PathChoice, tree: Tree, dataset: Dataset) -> None:
    """The errors of a path are those that counting finds, measured at once or fold by fold."""
    path = list(cost_complexity_path(tree))
    wanted = [_error(step.tree, dataset) for step in path]
    rows = measured(path, dataset)
    equal("an error is the share of the cases that a tree predicts wrongly", [row.error for row in rows], wanted, tree=tree.root)
    folds = cross_validated(dataset, lambda _: tree, folds=2)
    equal("if all folds grow one tree, its errors are those on all cases", [row.error for row in folds], wanted, tree=tree.root)
    kept = [[(row.leaves, row.alpha, row.cp) for row in found] for found in (rows, folds)]
    equal("leaves, alpha and cp are those of the path", kept, [[(step.leaves, step.alpha, step.cp) for step in path]] * 2)
    law("select returns the tree that is chosen", select(path, by=choice, on=dataset) == choice(rows).tree, rows=rows)


def _error(tree: Tree, dataset: Dataset) -> float:
    """The share of cases outside the majority class of their leaf, or of its nearest ancestor with cases if it has none."""
    weights = np.ones(len(dataset)) if dataset.weights is None else np.asarray(dataset.weights, dtype=np.float64)
    wrong = [node.counts.index(max(node.counts)) != label for node, label in _ends(tree, dataset)]
    return float(weights[np.array(wrong)].sum() / weights.sum())


def _ends(tree: Tree, dataset: Dataset) -> Iterator[tuple[Node, int]]:
    """The node that predicts for each row, and the class of the row."""
    for row, label in enumerate(dataset.target_column.tolist()):
        way = way_down(tree, [column[[row]] for column in dataset.columns])
        yield next((node for node in reversed(way) if any(node.counts)), tree.root), label


def _standard_error(row: Measured) -> float:
    return float((max(row.error * (1 - row.error), 0) / row.cases) ** 0.5)


def _like(one: Measured, other: Measured) -> bool:
    return (one.leaves, one.error) == (other.leaves, other.error)


@st.composite
def _trees_with_cases(draw: DrawFn) -> tuple[Tree, Dataset]:
    """A tree, and at least two rows that each have an answer at every split on their path."""
    tree = draw(trees(max_leaves=8))
    dataset = draw(datasets(schema=tree.schema, min_rows=2, weighted=draw(st.booleans())))
    ways = [way_down(tree, [column[[row]] for column in dataset.columns]) for row in range(len(dataset))]
    ends = [row for row, way in enumerate(ways) if isinstance(way[-1], Leaf)]
    return (tree, dataset.take(ends)) if len(ends) > 1 else (Tree(tree.schema, next(iter(leaves(tree)))), dataset)


@st.composite
def _rows(draw: DrawFn) -> list[Measured]:
    """Measured trees with decreasing numbers of leaves, as on a path; errors are hundredths, many of them near each other."""
    sizes = sorted(draw(st.sets(st.integers(1, 20), min_size=1, max_size=6)), reverse=True)
    tree = draw(trees(schema=Schema((), "class", ("a", "b")), max_leaves=1))
    cases = draw(st.sampled_from([20.0, 100.0, 1000.0]))
    errors = st.integers(0, 40) | st.integers(10, 13)
    return [Measured(size, draw(errors) / 100, cases, tree) for size in sizes]
