"""A list of rules: the first rule that fits a row gives its label; if none fits, the default does."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined, short_repr
from ftree.data.dataset import Dataset
from ftree.data.in_kind import labels_in_kind
from ftree.data.rows import columns_of
from ftree.show.coverage import covers
from ftree.show.formulas import Rule
from ftree.tree.schema import Schema


@frozen
class RuleList:
    """Rules in order and a default label: call it with rows for labels, as `predict` gives them, or with one row for a label.

    Raises a ValueError for a label that is not one of the schema's classes.

    >>> from ftree import Feature
    >>> from ftree.tree.conditions import Between
    >>> schema = Schema([Feature("wind", "numeric")], "ride", ("no", "yes"))
    >>> ride = RuleList(schema, [Rule((Between("wind", above=3.0),), "no", (2, 0))], "yes")
    >>> print(ride)
    if wind > 3 then no
    else yes
    >>> ride([[2.0], [5.0]]), ride([7.0])
    (['yes', 'no'], 'no')
    """

    schema: Schema
    rules: tuple[Rule, ...] = field(converter=as_tuple)
    default: Hashable

    def __attrs_post_init__(self) -> None:
        """Check the labels."""
        for label in (*(rule.label for rule in self.rules), self.default):
            if label not in self.schema.classes:
                known = joined(map(short_repr, self.schema.classes))
                message = f"rules and default must have labels among {known}, got {short_repr(label)}."
                raise ValueError(message)

    def __call__(self, rows: Any) -> Any:
        """The label of one row, or the labels of rows in their form."""
        columns, n, single = columns_of(self.schema, rows)
        table = Dataset(self.schema, columns, np.zeros(n, dtype=np.int8))
        codes = np.full(n, self.schema.classes.index(self.default))
        for rule in reversed(self.rules):
            codes[covers(rule, table)] = self.schema.classes.index(rule.label)
        return self.schema.classes[codes[0]] if single else labels_in_kind(rows, self.schema.target, self.schema.classes, codes)

    def __str__(self) -> str:
        """A line for each rule, and one for the default."""
        return "\n".join([*map(str, self.rules), f"else {self.default}"])
