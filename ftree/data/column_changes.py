"""The same rows with other columns: in ranges, joined, in the codes of another schema, with "missing" as a value."""

from collections.abc import Hashable, Sequence
from typing import Self

import numpy as np
from attrs import evolve

from ftree._lib.messages import joined, short_repr
from ftree.data.bins import divided
from ftree.data.dataset_fields import DatasetFields
from ftree.data.one_hot import joined_columns
from ftree.data.recoding import codes_of_labels, missing_as_none, recoded
from ftree.data.values import Column
from ftree.tree.schema import Feature, Schema, unknown_name


class ColumnChanges(DatasetFields):
    """The methods of a `Dataset` that return the same rows with other columns."""

    __slots__ = ()

    def binned(self, name: str, *, cuts: Sequence[float], labels: Sequence[Hashable] | None = None) -> Self:
        """The same rows with a numeric feature or a numeric target divided into ranges that end at the cuts.

        A feature becomes ordinal; a target gets the labels as classes, in order. Ranges include their ends, as `x <= cut`
        does. A target with fractions must be divided before the dataset is made, by `ftree.data.binned`.

        Raises a KeyError for a column that does not exist. Raises a ValueError for a column that does not hold numbers, for cuts
        that do not increase, and for a wrong number of labels.
        """
        pairs = [divided(*pair, cuts, labels) if pair[0].name == name else pair for pair in self._all()]
        self._column(name)  # raises a KeyError for a name that does not exist
        return self._of(pairs, self.schema.target)

    def join_one_hot(self, names: Sequence[str], *, into: str) -> Self:
        """The same rows with one-hot columns joined into one nominal column, whose values are their names.

        It takes the position of the first of them, or becomes the target if one of them is the target.

        Raises a KeyError for a column that does not exist, a ValueError for a row in which not exactly one of them is true.
        """
        listed = list(names)
        one_hot = [self._column(name) for name in listed]
        return self._of(joined_columns(self._all(), one_hot, into), into if self.schema.target in listed else self.schema.target)

    def recoded(self, schema: Schema) -> Self:
        """The same rows in the codes of another schema; features are matched by name, and unknown values become missing.

        Raises a KeyError for a feature that the dataset lacks, a ValueError for a class that the schema lacks.
        """
        if schema == self.schema:
            return self
        unknown = [label for label in self.schema.classes if label not in set(schema.classes)]
        present = {self.schema.classes[code] for code in np.unique(self.labels)}
        strange = [label for label in unknown if label in present]
        if strange:
            known = joined(map(short_repr, schema.classes))
            message = f"Labels must be classes of the schema ({known}), got {short_repr(strange[0])}."
            raise ValueError(message)
        codes = codes_of_labels(self.schema.classes, schema.classes)
        return self._with(schema=schema, columns=recoded_columns(self, schema.features), labels=codes[self.labels])

    def missing_as_value(self) -> Self:
        """The same rows with None, for "missing", as a value of each nominal feature that has missing values.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a"], [None]], [0, 1]).missing_as_value().schema.features[0].values
        ('a', None)
        """
        pairs = [missing_as_none(feature, column) for feature, column in zip(self.schema.features, self.columns, strict=True)]
        schema = evolve(self.schema, features=[feature for feature, _ in pairs])
        return self._with(schema=schema, columns=[column for _, column in pairs])


def recoded_columns(dataset: DatasetFields, features: Sequence[Feature]) -> tuple[Column, ...]:
    """Columns of a dataset in the codes of other features of the same names.

    Raises a KeyError for a feature that the dataset lacks, a ValueError for a feature of another kind.
    """
    own = {feature.name: number for number, feature in enumerate(dataset.schema.features)}
    for feature in features:
        if feature.name not in own:
            raise KeyError(unknown_name(feature.name, tuple(own)))
    return tuple(
        recoded(dataset.schema.features[own[feature.name]], feature, dataset.columns[own[feature.name]]) for feature in features
    )
