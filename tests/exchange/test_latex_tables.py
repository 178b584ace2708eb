"""Values that print tables, as LaTeX: every cell stands there, and pdfLaTeX typesets them."""

import re

import pytest
from consumers import typeset

from ftree import CART, ID3, Dataset, collapse_at, compare_trees, confusion, datasets, grow, latex, prune, rules, scores, study
from ftree.explain import summary
from ftree.lesson import exercise, growth_steps
from ftree.study import compare, cp_table, report

DAYS = datasets.weather()
TREE = grow(DAYS)
ODD = Dataset.from_columns({"a_b & 50 %": ["#1", "{x} ~ ^ \\", "#1"], "class": ["$", "_", "_"]})
VALUES = {
    "scores": scores(DAYS),
    "odd": scores(ODD),
    "summary": summary(TREE, DAYS, ID3),
    "compared": compare_trees(TREE, collapse_at(TREE, (2,))),
    "comparison": compare({"ID3": ID3, "CART": CART}, {"weather": DAYS}, folds=2),
    "confusion": confusion(TREE, DAYS),
    "report": report(TREE, DAYS),
    "path": cp_table(prune.cross_validated(datasets.monks(1), grow, folds=3)),
    "threshold": study.threshold(TREE, DAYS, recall=0.5),
    "exercise": exercise(6, about=("gain", "reduced error")),
    "solutions": exercise(6, about=("gain", "label", "pruning", "new row", "reduced error"), seed=1).solutions,
    "rules": rules(TREE),
    "film": growth_steps(DAYS)[1],
}


@pytest.mark.parametrize("value", VALUES.values(), ids=list(VALUES))
def test_rows_have_as_many_cells_as_columns_and_braces_match(value):
    written = latex(value)
    plain = re.sub(r"\\[{}&%#_$]", "", written)
    assert plain.count("{") == plain.count("}")
    for sides, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}\n(.*?)\\end", plain, re.DOTALL):
        lines = [line for line in body.splitlines() if line != r"\hline"]
        assert {line.count("&") + 1 for line in lines} == {len(sides)}
    assert latex(value) == written


def test_empty_parts_are_left_out_and_other_values_are_refused():
    assert "\n\n\n" not in latex(VALUES["summary"])
    assert latex(VALUES["scores"]).splitlines()[0] == r"\begin{tabular}{lllll}"
    with pytest.raises(TypeError, match="formula must be a Dnf or a Rule, got an int"):
        latex(3)
    with pytest.raises(ValueError, match=r"^digits must be None for a value that prints tables, not a formula, got 2"):
        latex(VALUES["scores"], digits=2)
    with pytest.raises(ValueError, match=r"^broken must be False for a value that prints tables, not a formula, got True"):
        latex(VALUES["scores"], broken=True)


@pytest.mark.consumer
def test_pdflatex_typesets_all_of_them(tmp_path):
    body = "\n\n".join(f"\\section*{{{name}}}\n{latex(value)}" for name, value in VALUES.items())
    typeset(tmp_path, body, packages="\\usepackage{amsmath}")
