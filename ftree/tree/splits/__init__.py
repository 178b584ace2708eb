"""Split types, one file each; their protocol, its optional methods, and the child of each row."""

from ftree.tree.splits.child_of import child_of, children_of
from ftree.tree.splits.groups import Groups
from ftree.tree.splits.intervals import Intervals
from ftree.tree.splits.is_missing import IsMissing
from ftree.tree.splits.multiway import Multiway
from ftree.tree.splits.oblique import Oblique
from ftree.tree.splits.optional import (
    Surrogate,
    answers_all_known,
    bits,
    of_fields,
    primary,
    recoded,
    renumbered,
    require_fit,
    stand_ins,
    table_form,
    to_fields,
    with_observed,
)
from ftree.tree.splits.shared import weighted_sum
from ftree.tree.splits.split import UNKNOWN, Columns, Integers, Split, is_split
from ftree.tree.splits.subset import Subset
from ftree.tree.splits.threshold import Threshold
from ftree.tree.splits.with_default import WithDefault
from ftree.tree.splits.with_surrogates import WithSurrogates

# The library's own types, in the order in which readers of trees in other forms try them.
SPLIT_TYPES = (WithSurrogates, Oblique, Threshold, Intervals, Subset, Groups, Multiway, WithDefault, IsMissing)

__all__ = [
    "SPLIT_TYPES",
    "UNKNOWN",
    "Columns",
    "Groups",
    "Integers",
    "Intervals",
    "IsMissing",
    "Multiway",
    "Oblique",
    "Split",
    "Subset",
    "Surrogate",
    "Threshold",
    "WithDefault",
    "WithSurrogates",
    "answers_all_known",
    "bits",
    "child_of",
    "children_of",
    "is_split",
    "of_fields",
    "primary",
    "recoded",
    "renumbered",
    "require_fit",
    "stand_ins",
    "table_form",
    "to_fields",
    "weighted_sum",
    "with_observed",
]
__dir__ = __all__.copy  # dir() shows public names only
