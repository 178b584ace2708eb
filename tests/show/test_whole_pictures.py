"""Whole pictures, pages and texts of worked trees are those that were looked at and stored."""

from io import StringIO
from pathlib import Path

import pytest
from whole_texts import TREES, letters, stored_difference

from ftree import collapse_at, compare_trees, datasets, dnf, page, plot_tree, prune, rules, to_dot, to_mermaid
from ftree import draw as drawn
from ftree.show import (
    latex,
    plot_curves,
    plot_differences,
    plot_histogram,
    plot_importances,
    plot_impurities,
    plot_impurity_triangle,
    rule_statistics,
    text,
)
from ftree.show.page_path import path_panel
from ftree.show.pruning_stages import Stage
from ftree.tree.edit import replace_at

matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib, the extra plot")
matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402  # after the backend is chosen

STORED = Path(__file__).with_name("pictures")
WEATHER, CLINIC = TREES["weather"], TREES["clinic"]


def body(document):
    """A page without its style and its script, which are files of their own."""
    return document.text.partition("<body>")[2].partition("<script>")[0]


def of_path():
    """A page with a pruning path that is measured on held-out rows."""
    path = prune.cost_complexity_path(WEATHER)
    return body(page(WEATHER, path=prune.measured(path, datasets.weather().take(range(0, 14, 3)))))


def of_stages():
    """A page with trees that are prunings of each other, and one with the decisions of a pass."""
    smaller = collapse_at(CLINIC, (0, 0))
    decisions = prune.pessimistic().decisions(CLINIC)
    return body(page(CLINIC, path=[smaller, collapse_at(smaller, (0,))])) + body(page(CLINIC, path=decisions))


def in_the_terminal(tree):
    rich = pytest.importorskip("rich.console")
    console = rich.Console(file=StringIO(), width=200, color_system="truecolor", force_terminal=True, legacy_windows=False)
    console.print(tree)
    return console.file.getvalue()


def in_text(tree):
    return text(tree) + "\n" + text(tree, distributions=True, surrogates=True)


def as_logic(tree):
    formulas = [*rules(tree), *(dnf(tree, label) for label in tree.schema.classes)]
    return "\n".join([*map(str, formulas), *map(latex, formulas)])


def differences():
    other = replace_at(collapse_at(CLINIC, (0, 0)), (1,), collapse_at(CLINIC, ()).root)
    return str(compare_trees(CLINIC, other)) + "\n" + str(compare_trees(CLINIC, CLINIC))


STAGES = [Stage(5, 0.0, 0.25, 14.5), Stage(3, 0.05, 0.125, 14.5), Stage(2), Stage(1, None, 0.5, 3, has_costs=True)]
TEXTS = {
    **{f"{name}.svg": lambda tree=tree: drawn(tree).text for name, tree in TREES.items()},
    "letters.svg": lambda: drawn(letters()).text,
    "charts.svg": lambda: drawn(CLINIC, leaf_charts=True).text,
    "closed.svg": lambda: drawn(CLINIC, max_depth=2).text + drawn(CLINIC, max_leaves=4).text,
    **{f"{name}.html": lambda tree=tree: body(page(tree)) for name, tree in TREES.items()},
    "path.html": of_path,
    "stages.html": of_stages,
    "closed.html": lambda: body(page(CLINIC, max_leaves=4)),
    **{f"{name}.dot": lambda tree=tree: to_dot(tree) + "\n" + to_dot(tree, max_leaves=3) for name, tree in TREES.items()},
    **{
        f"{name}.mermaid": lambda tree=tree: to_mermaid(tree) + "\n" + to_mermaid(tree, max_leaves=3)
        for name, tree in TREES.items()
    },
    **{
        f"{name}.txt": lambda tree=tree: text(tree) + "\n" + text(tree, distributions=True, surrogates=True)
        for name, tree in TREES.items()
    },
    **{f"{name}.terminal": lambda tree=tree: in_the_terminal(tree) for name, tree in TREES.items()},
    **{f"{name}.logic": lambda tree=tree: as_logic(tree) for name, tree in TREES.items()},
    "open.txt": lambda: to_dot(CLINIC, max_depth=1) + to_mermaid(CLINIC, max_depth=1),
    "panel.html": lambda: path_panel(STAGES),
    "statistics.txt": lambda: "\n".join(map(str, rule_statistics(rules(WEATHER), datasets.weather().take(range(2, 14))))),
    "differences.txt": differences,
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_the_one_that_was_looked_at(name):
    assert stored_difference(STORED / name, TEXTS[name]()) is None


# Pictures of matplotlib, as what they consist of: its own style is not of this library ------------------------------


def rounded(numbers):
    return [round(float(number), 3) + 0.0 for number in numbers]


def hexes(colours):
    return " ".join(matplotlib.colors.to_hex(each, keep_alpha=True) for each in colours)


def parts_of(ax):
    """The collections, bars, lines and texts of a picture, one in a line, with what the library decides about them."""
    yield f"figure {rounded(ax.figure.get_size_inches())} limits {rounded(ax.get_xlim())} {rounded(ax.get_ylim())}"
    yield f"labels {ax.get_xlabel()!r} {ax.get_ylabel()!r} {ax.get_xscale()} {ax.get_yscale()} axis {ax.axison}"
    for each in ax.collections:
        yield f"{type(each).__name__} {rounded(each.get_linewidths())} {each.get_zorder()} {hexes(each.get_edgecolors())}"
        styles = each.get_linestyles() if len(each.get_linestyles()) == 1 else ""
        yield f"  faces {hexes(each.get_facecolors())} {each.get_capstyle()} {styles}"
        for path in each.get_paths() if len(each.get_paths()) < 60 else ():
            yield f"  {[rounded(vertex) for vertex in path.vertices]}"
    for bar in ax.patches:
        place = rounded([bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height()])
        yield f"bar {place} {hexes([bar.get_facecolor(), bar.get_edgecolor()])}"
    for line in ax.lines:
        look = line.get_linestyle(), line.get_marker(), line.get_markersize(), line.get_label(), hexes([line.get_color()])
        data = [rounded(part) if len(part) < 20 else len(part) for part in (line.get_xdata(), line.get_ydata())]
        yield f"line {look} {data}"
    for each in ax.texts:
        box = each.get_bbox_patch()
        look = [round(each.get_fontsize(), 3), each.get_weight(), each.get_ha(), each.get_va(), each.get_zorder()]
        behind = box and (box.get_alpha(), hexes([box.get_facecolor()]))
        yield f"{each.get_text()!r} {rounded(each.get_position())} {look} {each.get_color()} {behind}"
    for each in (*ax.get_xticklabels(), *ax.get_yticklabels()) if ax.axison else ():
        yield f"tick {each.get_text()!r} {rounded(each.get_position())}"
    if ax.get_legend():
        legend = ax.get_legend()
        shades = hexes(
            [part.get_facecolor() if hasattr(part, "get_facecolor") else part.get_color() for part in legend.legend_handles]
        )
        yield f"legend {legend.get_title().get_text()!r} {[part.get_text() for part in legend.get_texts()]} {shades}"
        beside = rounded(legend.get_bbox_to_anchor()._bbox.bounds)
        yield f"  {legend.get_frame_on()} {legend.borderaxespad} {beside}"
    yield f"spines {[name for name, spine in ax.spines.items() if spine.get_visible()]}"


def three_curves():
    return plot_curves(
        {"one": {1: 0.5, 10: 1}, "two": {n: n / 2 for n in range(1, 32)}, "three": {2: 1}}, xlabel="rows", ylabel="$", log="x"
    )


def impurity(counts):
    return counts.min(axis=-1) / counts.sum(axis=-1)


PLOTS = {
    **{name: lambda tree=tree: plot_tree(tree) for name, tree in TREES.items()},
    "letters": lambda: plot_tree(letters()),
    "charts": lambda: plot_tree(CLINIC, leaf_charts=True),
    "differences": lambda: plot_differences(compare_trees(WEATHER, collapse_at(WEATHER, (1,))), names=("before", "after")),
    "curves": three_curves,
    "histogram": lambda: plot_histogram([1, 1.25, 5, 7], bins=3, xlabel="seconds", ylabel="runs"),
    "importances": lambda: plot_importances({"sky": [0.1, 0.3], "wind": 0.6, "rain": 0.05, "x" * 50: 0.5}, most=3, label="gain"),
    "impurities": lambda: plot_impurities([impurity, impurity]),
    "triangle": lambda: plot_impurity_triangle(impurity, classes=("p", "q", "r")),
}


@pytest.mark.parametrize("name", PLOTS)
def test_a_picture_of_matplotlib_has_the_parts_that_were_looked_at(name):
    try:
        ax = PLOTS[name]()
        assert stored_difference(STORED / f"{name}.parts", "\n".join(parts_of(ax))) is None
    finally:
        plt.close("all")
