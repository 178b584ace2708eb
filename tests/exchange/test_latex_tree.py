"""LaTeX: every node once, matching brackets, escaped characters, a limit of depth; pdfLaTeX typesets it."""

import re
import subprocess
from unicodedata import normalize

import pytest
from browser import needed
from consumers import typeset

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, datasets, dnf, grow, n_nodes, show
from ftree.exchange import to_latex
from ftree.testing import chain, check_export
from ftree.tree import Multiway, Oblique

CARS = grow(Dataset.from_rows([[1, "a"], [2, "b"], [9, "b"]], [0.5, 1.5, 9.5]), CART)


@pytest.mark.parametrize("of_numbers", [False, True])
def test_every_node_is_drawn_once_and_brackets_match(mixed_tree, of_numbers):
    tree = CARS if of_numbers else mixed_tree
    drawn = to_latex(tree)
    plain = re.sub(r"\\\\.", "", drawn)  # without escaped characters
    assert plain.count("{") == plain.count("}")
    assert len(re.findall(r"^ *\[", drawn, re.MULTILINE)) == n_nodes(tree)
    assert drawn.count("[{") == sum(len(line) - len(line.rstrip("]")) for line in drawn.splitlines())
    assert drawn.count(", condition [{") == n_nodes(tree) - 1


def test_latex_obeys_the_law_for_exports():
    check_export(to_latex, exempt={"deep"})  # in the table of exports


AWKWARD = ("50 % of $x_1$", "{a} & #b ~ ^ \\frac{1}{2}", "größe ß é", "a\nb\n\nc", "[x], {y}|", "", "<script>", "\\end{forest}%")


def awkward_tree():
    schema = Schema([Feature("the_name [1], {x} \\", "nominal", AWKWARD), Feature("y", "numeric")], "t", AWKWARD)
    ends = [Leaf([int(number == each) for each in range(8)]) for number in range(8)]
    ends[2] = Branch((1,) * 8, Oblique((0, 1e-9), 0.5), (Leaf((0,) * 8), Leaf((1,) * 8)))
    return Tree(
        schema, Branch([sum(each) for each in zip(*(node.counts for node in ends), strict=True)], Multiway(0, range(8)), ends)
    )


@pytest.mark.consumer
def test_a_large_tree_and_a_long_formula_fit_a_frame_of_beamer(tmp_path):
    tree = grow(datasets.titanic(), CART)
    frames = (to_latex(tree, fit=True), f"\\[{show.latex(dnf(grow(datasets.weather()), 'no'), broken=True)}\\]")
    body = "\n".join(f"\\begin{{frame}}\n{frame}\n\\end{{frame}}" for frame in frames)
    told = typeset(tmp_path, body, packages="\\usepackage{forest, adjustbox}", kind="beamer")
    assert not re.search(r"Overfull|Underfull \\vbox", told)


@pytest.mark.consumer
def test_pdflatex_typesets_any_latin_text_and_the_deepest_tree(tmp_path):
    reader = needed("pdftotext", "poppler-utils")
    drawn = map(to_latex, [awkward_tree(), grow(datasets.weather()), CARS, chain(50)])
    packages = "\\usepackage{amsmath, forest}\\usepackage[paperwidth=2000mm, paperheight=4000mm]{geometry}"
    body = "\n\\newpage\n".join(drawn)
    assert "(4 pages" in typeset(tmp_path, body, packages=packages)
    awkward = ("50 % of $x 1$", "größe ß é", "a b c", "[x], {y}|", "<script>", "\\end{forest}%")
    read = subprocess.check_output([reader, "-raw", "page.pdf", "-"], cwd=tmp_path, text=True)  # noqa: S603  # of Debian
    read = normalize("NFC", read)  # a page has accents as separate letters
    assert [word for word in awkward if word not in read] == []
    assert read.count("(0, 2)") == 1, "a leaf of the weather, which has its counts"
    assert "1 ± 0.5 (2)" in read, "a leaf of numbers"
