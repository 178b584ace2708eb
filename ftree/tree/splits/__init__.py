"""Split types; their protocol, its optional methods, and the child of each row."""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

# The names of the library's own types, by which readers of trees in other forms find them.
SPLIT_TYPES = ("WithSurrogates", "Oblique", "Threshold", "Intervals", "Subset", "Groups", "Multiway", "WithDefault", "IsMissing")

if TYPE_CHECKING:
    from ftree.tree.conditions import weighted_sum as weighted_sum
    from ftree.tree.splits.child_of import child_of as child_of, children_of as children_of
    from ftree.tree.splits.optional import (
        Surrogate as Surrogate,
        answers_all_known as answers_all_known,
        bits as bits,
        of_fields as of_fields,
        primary as primary,
        recoded as recoded,
        renumbered as renumbered,
        require_fit as require_fit,
        stand_ins as stand_ins,
        table_form as table_form,
        to_fields as to_fields,
        with_observed as with_observed,
    )
    from ftree.tree.splits.split import (
        UNKNOWN as UNKNOWN,
        Columns as Columns,
        Integers as Integers,
        Split as Split,
        is_split as is_split,
    )
    from ftree.tree.splits.splits_by_cuts import Intervals as Intervals, Oblique as Oblique, Threshold as Threshold
    from ftree.tree.splits.splits_by_missing import IsMissing as IsMissing, WithDefault as WithDefault
    from ftree.tree.splits.splits_by_values import Groups as Groups, Multiway as Multiway, Subset as Subset
    from ftree.tree.splits.with_surrogates import WithSurrogates as WithSurrogates
else:
    on_first_use(__name__)
