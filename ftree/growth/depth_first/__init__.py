"""Depth-first growth by the native library: a node, then everything below it, while the rows of each node stay sorted.

    what_c_knows         the policies and tables that the library knows; `grow` tries its forms of a table in this order:
    presorted_columns    1. sorted columns of numbers whose values are all known, where a node is a range: `native/grow.c`;
    presorted_growth        the tree of a policy that looks at all features
    drawn_trees             trees of policies that draw features or cuts, such as those of forests
    table_columns        2. features of any kinds, as codes or sorted keys: `native/table.c`;
    table_start             the rows at the leaves of a tree from which growth starts
    table_growth            the tree

Each concern has a file, and can be read without the others:

    arrays for C         sorted_columns (keys of numbers), target_sums (targets that are numbers or events)
    threads              growing_parts: parts of a tree, of which each thread grows one; how they are handed over, and joined
    rounding             growing_parts: a choice that rounding could decide is left to the search in NumPy

So C, NumPy and any number of threads grow the tree of `growth.definition`.

| after a change of | run first, in `tests/growth` |
|---|---|
| what_c_knows.py | `test_what_c_knows.py`, `test_table_growth.py`; `tests/routing/test_missing_rules.py` (rules of shares) |
| presorted_*.py | `test_depth_first.py`, `test_regression_depth_first.py`; `tests/native/test_lanes.py` |
| sorted_columns.py | the same, and `test_table_growth.py` |
| drawn_trees.py | `test_drawn_trees.py` |
| table_*.py | `test_table_growth.py` |
| table_start.py | `test_start.py`, `test_counted_tables.py` (scans grow leaves from their rows) |
| growing_parts.py | `test_growing_parts.py`, and all that are above |
| target_sums.py | `test_regression.py`, `test_regression_depth_first.py`, `test_table_growth.py` |
"""
