"""A decision tree as a value: schema, splits, nodes, folds, edits and sizes.

    Schema          schema.py      features, target and classes, or the response:
      Response      response.py      what counts add up to, what a node answers; response_protocol.py: what one must and may have;
                                     additive.py: one of your own, with exact sums
    Split           splits/        what divides the rows of a node; it knows features by their numbers
      Condition     conditions.py    what must hold for a row to go to a child, and its words; logic.py: values that satisfy it
    Leaf, Branch    nodes.py       counts (of response.py), a split and children
    Tree            nodes.py       a schema and the root
      fold          fold.py          every question about nodes, at any depth; the sizes of trees
      edit          edit.py          trees from trees
      words         describe.py      conditions and splits with names, whose numbers formats.py writes

A node knows no names, a split no nodes, and a condition no splits: each can be read without what stands below it in this list.

| to add | change | test in `tests/tree` |
|---|---|---|
| a split type | splits/ | `check_split`; `test_open_splits.py`, by two users' types |
| a class of conditions | conditions.py, logic.py, describe.py; `exchange/neutral_form.py` | `test_condition_readers.py` |
| words of a condition | conditions.py, describe.py | `tests/show` |
| an optional member of responses | the table of response_protocol.py, and who asks for it | `test_own_response.py` |
| an edit of trees | edit.py, by `renew` or `fold`, which share what stays | `test_edit.py` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.tree.additive import exact_sums as exact_sums
    from ftree.tree.response import Counts as Counts
    from ftree.tree.edit import (
        collapse_at as collapse_at,
        diff as diff,
        is_pruning_of as is_pruning_of,
        map_leaves as map_leaves,
        node_at as node_at,
        replace_at as replace_at,
        subtree_at as subtree_at,
    )
    from ftree.tree.fold import (
        Grown as Grown,
        class_counts as class_counts,
        depth as depth,
        fold as fold,
        leaves as leaves,
        n_leaves as n_leaves,
        n_nodes as n_nodes,
        unfold as unfold,
        walk as walk,
    )
    from ftree.tree.nodes import (
        Branch as Branch,
        Leaf as Leaf,
        Node as Node,
        Path as Path,
        Tree as Tree,
        children as children,
        level_order as level_order,
        preorder as preorder,
    )
    from ftree.tree.response import classes as classes, majority as majority, numbers as numbers
    from ftree.tree.response_protocol import OwnResponse as OwnResponse, Response as Response, ResponseOptions as ResponseOptions
    from ftree.tree.schema import Feature as Feature, Kind as Kind, Label as Label, Schema as Schema
    from ftree.tree.splits import (
        Groups as Groups,
        Intervals as Intervals,
        IsMissing as IsMissing,
        Multiway as Multiway,
        Oblique as Oblique,
        Split as Split,
        Subset as Subset,
        Surrogate as Surrogate,
        Threshold as Threshold,
        WithDefault as WithDefault,
        WithSurrogates as WithSurrogates,
    )
else:
    on_first_use(__name__)
