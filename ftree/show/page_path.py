"""The panel of a page for a pruning path: a slider, the accuracy as a curve, and a table of all trees."""

from collections.abc import Iterator, Sequence

from ftree.show.palette import GREY
from ftree.show.pruning_stages import Stage
from ftree.show.svg import INK
from ftree.tree.formats import format_number

_WIDTH, _HEIGHT = 280.0, 110.0


def path_panel(stages: Sequence[Stage]) -> str:
    """The panel's HTML; an empty text for a tree without a path."""
    return "".join(_panel(stages)) if len(stages) > 1 else ""


def _panel(stages: Sequence[Stage]) -> Iterator[str]:
    yield '<section aria-label="Pruning path"><h2><label for="alpha">Prune</label></h2>'
    yield f'<input id="alpha" type="range" min="0" max="{len(stages) - 1}" step="1" value="0">'
    yield '<output id="stage" for="alpha"></output>'
    yield _curve(stages)
    yield "<details><summary>All trees of the path</summary><table><thead><tr><th>tree</th><th>alpha</th><th>leaves</th>"
    yield "<th>measured</th></tr></thead><tbody>"
    for number, stage in enumerate(stages):
        cells = number, _alpha(stage) or "", stage.leaves, _measured(stage)
        yield f'<tr data-says="{_in_words(stage)}">{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
    yield "</tbody></table></details></section>"


def _alpha(stage: Stage) -> str:
    return "" if stage.alpha is None else format_number(stage.alpha, decimals=4)


def _measured(stage: Stage) -> str:
    if stage.error is None:
        return ""
    if stage.has_costs:
        return f"mean cost {format_number(stage.error, decimals=3)}"
    return f"{100 * (1 - stage.error):.1f} % right"


def _in_words(stage: Stage) -> str:
    """A stage in the words of the slider."""
    alpha = [f"alpha {_alpha(stage)}"] if stage.alpha is not None else []
    leaves = f"{stage.leaves} {'leaf' if stage.leaves == 1 else 'leaves'}"
    on = "" if stage.cases is None else f" on {format_number(stage.cases, decimals=1)} cases"
    return ", ".join([*alpha, leaves, *([_measured(stage) + on] if stage.error is not None else [])])


def _curve(stages: Sequence[Stage]) -> str:
    """The measured accuracies of the trees, from the largest to the smallest tree, the best on top; an empty text without any."""
    known = [number for number, stage in enumerate(stages) if stage.error is not None]
    if not known:
        return ""
    best, worst = (choose(known, key=lambda number: stages[number].error or 0.0) for choose in (min, max))
    points = [(number, *_place(stages, number, best, worst)) for number in known]
    line = " ".join(f"{x:.1f},{y:.1f}" for _, x, y in points)
    dots = "".join(f'<circle data-stage="{number}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for number, x, y in points)
    ends = (
        f'<text x="0" y="14">{_measured(stages[best])}</text><text x="0" y="{_HEIGHT - 2:.0f}">{_measured(stages[worst])}</text>'
    )
    size = f'viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" aria-label="The better a tree, the higher its point"'
    return f'<svg class="curve" {size} fill="{GREY}"><polyline points="{line}" fill="none" stroke="{INK}"/>{dots}{ends}</svg>'


def _place(stages: Sequence[Stage], number: int, best: int, worst: int) -> tuple[float, float]:
    """The position of a tree's point in the curve."""
    low, error, high = (stages[each].error or 0.0 for each in (best, number, worst))
    down = (error - low) / ((high - low) or 1)
    return 8 + (_WIDTH - 16) * number / (len(stages) - 1), 24 + (_HEIGHT - 44) * down
