"""The path of trees on a page: a slider, a curve of the measured errors, and the branches that are cut, each with its reason.

The stages of a path are its trees, the largest first. At a stage, all branches that the stages up to it cut are leaves. A path of
trees that grow is read from its last tree.
"""

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, TypeAlias

from attrs import frozen

from ftree._lib.faces import Face
from ftree._lib.fields import is_iterable
from ftree._lib.messages import type_of
from ftree.show.looks import GREY, Looks
from ftree.show.outline import OutlineNode
from ftree.show.pictures import INK
from ftree.tree.edit import replace_at
from ftree.tree.fold import leaves as leaves_of
from ftree.tree.fold import n_leaves
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch, Leaf, Node, Tree
from ftree.tree.response_protocol import Response


@frozen
class CutBranch:
    """A branch that becomes a leaf at a stage, with the reason."""

    stage: int
    reason: str


@frozen
class _Stage:
    """A tree of a pruning path: the alpha from which on it is best, its leaves, and its measured errors.

    `error` is its error rate over `cases`, or, as `measure` says, the mean cost, squared error or deviance of a case.
    """

    leaves: int
    alpha: float | None = None
    error: float | None = None
    cases: float | None = None
    measure: str = "accuracy"
    note: str = ""


def path_panel(tree: Tree, path: Iterable[Any], shown: Sequence[OutlineNode]) -> tuple[str, dict[int, CutBranch]]:
    """The slider along a path with a curve and a table, and the branches that it cuts, by their numbers among those shown.

    A tree without a path has neither. Raises the errors of `page` about paths.
    """
    steps = list(_steps(tree, path))
    grows = len(steps) > 1 and n_leaves(steps[0][1]) < n_leaves(steps[-1][1])
    stages, cuts = _stages(tree, steps[::-1] if grows else steps, shown, grows=grows)
    return "".join(_panel(stages, grows=grows)) if len(stages) > 1 else "", cuts


# A node's number in the outline; the node that stands there before a stage, and the node after it.
_Pair: TypeAlias = tuple[int, Node, Node]


def _stages(
    tree: Tree, steps: Iterable[tuple[Any, Node]], shown: Sequence[OutlineNode], *, grows: bool
) -> tuple[list[_Stage], dict[int, CutBranch]]:
    """The stages of the steps of a path, the first one the tree itself; and the cuts by the numbers of the nodes in the outline.

    Raises a ValueError if a tree is not a pruning of the one before.
    """
    stages, before = [_Stage(n_leaves(tree))], tree.root
    cuts: dict[int, CutBranch] = {}
    looks, response = shown[0].looks, tree.schema.response
    for step, after in steps:
        if after == tree.root:  # the first tree of the path may be the given one; its measured errors are used
            stages.clear()
        cause, pairs = "Not yet split" if grows else _cause(step), _cut_between(before, after, shown)
        cuts |= {number: CutBranch(len(stages), _reason(looks, response, cause, cut)) for number, cut in pairs}
        stages.append(_stage(step, after, looks))
        before = after
    return stages, cuts


def _steps(tree: Tree, path: Any) -> Iterator[tuple[Any, Node]]:
    """The elements of a path, each with the root of its tree; decisions that change nothing are omitted.

    The elements of a path are trees, or have a tree as `tree`, and may have `alpha`, `error`, `cases` and `deviation`, as those
    of `prune.cost_complexity_path` and `prune.measured`. Or they are decisions of a pass.

    Raises a TypeError for elements without a tree, an IndexError for decisions about another tree.
    """
    current = tree
    for step in path if is_iterable(path) else (path,):
        if hasattr(step, "becomes"):  # a decision, which has the new node and its path
            if step.becomes is not None:
                current = replace_at(current, step.path, step.becomes)
                yield step, current.root
            continue
        own = step if isinstance(step, Tree) else getattr(step, "tree", None)
        if not isinstance(own, Tree):
            remedy = " Save the page by page(tree).save(file)." if isinstance(path, str | PathLike) else ""
            message = f"path must be trees, or steps such as those of prune.cost_complexity_path, got {type_of(step)}.{remedy}"
            raise TypeError(message)
        yield step, own.root


def _stage(step: Any, root: Node, looks: Looks) -> _Stage:
    alpha, error, cases, leaves = (getattr(step, name, None) for name in ("alpha", "error", "cases", "leaves"))
    note = step._repr_html_() if isinstance(step, Face) else ""  # private by name, but notebooks call it too
    measure = looks.measure(has_costs=getattr(step, "deviation", None) is not None)
    return _Stage(leaves or n_leaves(root), alpha, error, cases, measure, note)


def _cut_between(before: Node, after: Node, shown: Sequence[OutlineNode]) -> Iterator[tuple[int, Branch]]:
    """The branches that are leaves from now on, with their numbers. Parts that the two trees share are skipped."""
    stack: list[_Pair] = [(0, before, after)]
    while stack:
        number, old, new = stack.pop()
        if old is new or (isinstance(old, Leaf) and isinstance(new, Leaf)):
            continue
        if isinstance(old, Branch) and isinstance(new, Leaf):
            yield number, old
        elif isinstance(old, Branch) and isinstance(new, Branch) and old.split == new.split:
            stack += zip(shown[number].below, old.children, new.children, strict=False)  # empty if the children are hidden
        else:
            raise ValueError("path must be trees each of which is a pruning of the one before, got one that is not.")


def _reason(looks: Looks, response: Response, cause: str, cut: Branch) -> str:
    """Where and why a branch is cut, and the errors that this costs in the tree's own cases."""
    ends, risk = list(leaves_of(cut)), response.risk
    numbers = risk(cut.counts), sum(risk(leaf.counts) for leaf in ends), looks.cases(cut.counts)
    as_leaf, below, total = (format_number(number, decimals=2) for number in numbers)
    return f"{cause}: {as_leaf} {looks.loss} in {total} cases as a leaf, {below} with {len(ends)} leaves."


def _cause(step: Any) -> str:
    alpha, as_leaf, threshold = (getattr(step, name, None) for name in ("alpha", "as_leaf", "threshold"))
    if alpha is not None:
        return f"Cut at alpha {format_number(alpha, decimals=4)}"
    if as_leaf is None or threshold is None:
        return "Cut"
    score, limit = (format_number(value, decimals=4) for value in (as_leaf, threshold))
    return f"Cut, since its score as a leaf, {score}, is at most {limit}"


# The panel of a path.


_WIDTH, _HEIGHT = 280.0, 110.0


def _panel(stages: Sequence[_Stage], *, grows: bool) -> Iterator[str]:
    """The slider, from the whole tree, or from the smallest where trees grow, and a table without its empty columns."""
    name, growth = ("Grow", " data-grows") if grows else ("Prune", "")
    yield f'<section aria-label="Path of trees"><h2><label for="alpha">{name}</label></h2>'
    yield f'<input id="alpha" type="range" min="0" max="{len(stages) - 1}" step="1" value="0"{growth}>'
    yield '<output id="stage" for="alpha"></output>'
    yield from (
        f'<div class="note" data-stage="{number}">{stage.note}</div>' for number, stage in enumerate(stages) if stage.note
    )
    yield _curve(stages)
    rows = [(str(number), _alpha(stage), str(stage.leaves), _measured(stage)) for number, stage in enumerate(stages)]
    told = [place for place in range(len(rows[0])) if any(row[place] for row in rows)]
    heads = "".join(f"<th>{('tree', 'alpha', 'leaves', 'measured')[place]}</th>" for place in told)
    yield f"<details><summary>All trees of the path</summary><table><thead><tr>{heads}</tr></thead><tbody>"
    for stage, row in zip(stages, rows, strict=True):
        yield f'<tr data-says="{_in_words(stage)}">{"".join(f"<td>{row[place]}</td>" for place in told)}</tr>'
    yield "</tbody></table></details></section>"


def _alpha(stage: _Stage) -> str:
    return "" if stage.alpha is None else format_number(stage.alpha, decimals=4)


def _measured(stage: _Stage) -> str:
    if stage.error is None:
        return ""
    if stage.measure == "accuracy":
        return f"accuracy {100 * (1 - stage.error):.1f} %"
    return f"{stage.measure} {format_number(stage.error, decimals=3)}"


def _in_words(stage: _Stage) -> str:
    """A stage in the words of the slider."""
    alpha = [f"alpha {_alpha(stage)}"] if stage.alpha is not None else []
    leaves = f"{stage.leaves} {'leaf' if stage.leaves == 1 else 'leaves'}"
    on = "" if stage.cases is None else f" ({format_number(stage.cases, decimals=1)} cases)"
    return ", ".join([*alpha, leaves, *([_measured(stage) + on] if stage.error is not None else [])])


def _curve(stages: Sequence[_Stage]) -> str:
    """The measured accuracies of the trees, from the largest to the smallest tree, the best on top; an empty text without any."""
    known = [number for number, stage in enumerate(stages) if stage.error is not None]
    if not known:
        return ""
    best, worst = (choose(known, key=lambda number: stages[number].error or 0.0) for choose in (min, max))
    low, high = (stages[each].error or 0.0 for each in (best, worst))
    points = [
        (number, 8 + (_WIDTH - 16) * number / (len(stages) - 1), 24 + (_HEIGHT - 44) * (error - low) / ((high - low) or 1))
        for number, error in ((each, stages[each].error or 0.0) for each in known)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for _, x, y in points)
    dots = "".join(f'<circle data-stage="{number}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for number, x, y in points)
    ends = (
        f'<text x="0" y="14">{_measured(stages[best])}</text><text x="0" y="{_HEIGHT - 2:.0f}">{_measured(stages[worst])}</text>'
    )
    size = f'viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" aria-label="The better a tree, the higher its point"'
    return f'<svg class="curve" {size} fill="{GREY}"><polyline points="{line}" fill="none" stroke="{INK}"/>{dots}{ends}</svg>'
