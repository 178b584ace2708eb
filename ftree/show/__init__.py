"""Trees as text in Weka's form, as rules, as logical formulas, and as pictures.

    Tree --> OutlineNode     outline.py       `outline`: shown nodes, and texts; looks.py  colours, bars and words of answers
               +-> text      rich_lines.py, graph_languages.py, tex.py, html_page.py; page_path.py  the path of its pruning
               +-> NodeBox   svg.py           a node's box; node_figures.py  impurities, gains and histograms in it
               |     draw                     boxes where tidy_layout.py says, edges, legend -> Document of pictures.py
               +-> axes      tree_plots.py    matplotlib: a tree, or what differs between two
    indented_text.py         from nodes themselves: the lines that `from_weka_text` reads
    rules_and_formulas.py    of leaves; simplified_rules.py  shortened; rules_on_data.py  judged by rows
    compare_trees.py, plot_numbers.py         differences in words; pictures of numbers

| to add | change | test in `tests/show` |
|---|---|---|
| a text of each node | `OutlineNode`, then each picture that shows it | `test_outline.py` |
| a part of a box | its height in `svg.py`; `box_height` and `node_element` | `test_whole_pictures.py` |
| the look of a response | its `ResponseOptions`, or a class in `Looks` and `looks_of` | `test_looks.py` |

The tests of a file have its name, but for these: indented_text.py `test_text.py`; outline.py also `test_pictures.py`;
html_page.py `test_page.py`; rules_and_formulas.py `test_formulas.py`; simplified_rules.py `test_simplify.py`; svg.py also
`test_whole_pictures.py`.
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.data.matching import fits as fits
    from ftree.show.compare_trees import (
        ComparedTrees as ComparedTrees,
        Difference as Difference,
        compare_trees as compare_trees,
        same_answers as same_answers,
    )
    from ftree.show.graph_languages import to_dot as to_dot, to_mermaid as to_mermaid
    from ftree.show.html_page import page as page
    from ftree.show.indented_text import lines as lines, text as text
    from ftree.show.looks import class_colours as class_colours
    from ftree.show.pictures import Document as Document
    from ftree.show.plot_numbers import (
        plot_curves as plot_curves,
        plot_histogram as plot_histogram,
        plot_importances as plot_importances,
        plot_impurities as plot_impurities,
        plot_impurity_triangle as plot_impurity_triangle,
    )
    from ftree.show.rules_and_formulas import (
        Dnf as Dnf,
        Rule as Rule,
        Rules as Rules,
        dnf as dnf,
        holds as holds,
        rules as rules,
    )
    from ftree.show.rules_on_data import (
        RuleList as RuleList,
        RuleStatistics as RuleStatistics,
        covers as covers,
        rule_statistics as rule_statistics,
    )
    from ftree.show.simplified_rules import simplify as simplify
    from ftree.show.svg import draw as draw
    from ftree.show.tex import latex as latex
    from ftree.show.tree_plots import plot_differences as plot_differences, plot_tree as plot_tree
    from ftree.tree.conditions import (
        AllOf as AllOf,
        AnyOf as AnyOf,
        Between as Between,
        Condition as Condition,
        FirstKnown as FirstKnown,
        Missing as Missing,
        NoneOf as NoneOf,
        Not as Not,
        OneOf as OneOf,
        Opaque as Opaque,
        SumBetween as SumBetween,
        Worded as Worded,
    )
else:
    on_first_use(__name__)
