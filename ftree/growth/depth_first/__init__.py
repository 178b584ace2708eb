"""Depth-first growth by the native library: a node, then everything below it, while the rows of each node stay sorted.

    what_c_knows       which of two forms of a table the library grows a policy's tree from; `grow` asks in this order:
    presorted_growth   1. sorted columns of numbers whose values are all known, where a node is a range: `native/grow.c`;
                          and the tree of a policy that looks at all features
    drawn_trees           trees of policies that draw features or cuts, such as those of forests
    table_columns      2. features of any kinds, as codes or sorted keys: `native/table.c`
    target_sums           the sums of targets that are numbers or events
    table_start           the rows at the leaves of a tree from which growth starts
    table_growth          the tree
    growing_parts      what both share: parts of a tree, one for each thread, and sorted columns

A choice that rounding could decide is left to the search in NumPy, so both grow the tree of `growth.definition`.
"""
