"""Split types, their protocol, and the child of each row.

    split.py                                     the protocol: what a split must have, and what it may have, with the defaults;
                                                 the definition of a row's child; a split as plain values, and back
    splits_by_values.py, splits_by_cuts.py       the types for one feature; `Oblique` for a sum of several
    splits_by_missing.py, with_surrogates.py     what becomes of missing values
    shared.py                                    checks and lookups that the types share; a split in another schema


To add a type, copy `Threshold`, and list it below; JSON, texts, programs and routing then know it by its conditions.
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.tree.conditions import weighted_sum as weighted_sum
    from ftree.tree.splits.shared import recoded as recoded, renumbered as renumbered
    from ftree.tree.splits.split import (
        UNKNOWN as UNKNOWN,
        Columns as Columns,
        Integers as Integers,
        Split as Split,
        answers_all_known as answers_all_known,
        bits as bits,
        child_of as child_of,
        children_of as children_of,
        is_split as is_split,
        of_fields as of_fields,
        primary as primary,
        require_fit as require_fit,
        stand_ins as stand_ins,
        table_form as table_form,
        to_fields as to_fields,
        with_observed as with_observed,
    )
    from ftree.tree.splits.splits_by_cuts import Intervals as Intervals, Oblique as Oblique, Threshold as Threshold
    from ftree.tree.splits.splits_by_missing import IsMissing as IsMissing, WithDefault as WithDefault
    from ftree.tree.splits.splits_by_values import Groups as Groups, Multiway as Multiway, Subset as Subset
    from ftree.tree.splits.with_surrogates import Surrogate as Surrogate, WithSurrogates as WithSurrogates
else:
    on_first_use(__name__)
