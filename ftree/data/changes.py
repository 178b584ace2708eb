"""Change the columns of a dataset: choose, join, merge and recode them; other weights and labels; rows of several datasets."""

from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import chain, zip_longest
from typing import Any, Self, TypeVar

import numpy as np
from attrs import evolve

from ftree._lib.fields import as_tuple, is_finite
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.cases import RowNumbers
from ftree.data.coding import encode, measurements, smallest_integers
from ftree.data.dataset_fields import DatasetFields
from ftree.data.table import WeightsKind, weights_of_kind
from ftree.data.targets import ResponseChoice, classes_of, coded_target, further_target, options_of_chosen, response_chosen
from ftree.data.times import TIMES_IN_WORDS, may_stand_for
from ftree.data.values import ALWAYS_MISSING, USUALLY_MISSING, Column, as_column, python_values
from ftree.tree.response import numbers
from ftree.tree.schema import Feature, Schema, is_hashable, response_of_sums, unknown_name

# The type of a dataset.
_Rows = TypeVar("_Rows", bound=DatasetFields)


class DatasetChanges(DatasetFields):
    """The methods of a `Dataset` that change columns."""

    __slots__ = ()

    def binned(self, name: str, *, cuts: Sequence[float], labels: Sequence[Hashable] | None = None) -> Self:
        """Divide a numeric feature or target into ranges that end at the cuts.

        A feature becomes ordinal; a target gets the labels as classes, in order. Ranges include their ends, as `x <= cut`
        does. A target with fractions must be divided before the dataset is made, by `ftree.data.binned`.

        Raises a KeyError for a column that does not exist. Raises a ValueError for a column that does not hold numbers, for cuts
        that do not increase, and for a wrong number of labels.
        """
        from ftree.data.bins_and_one_hot import in_ranges  # noqa: PLC0415  # few tables need it

        found = self._column(name)[0]
        pairs = [in_ranges(*pair, cuts, labels) if pair[0].name == found.name else pair for pair in self._all()]
        return self._of(pairs, self.schema.target)

    def join_one_hot(self, names: Sequence[str], *, into: str) -> Self:
        """Join one-hot columns into one nominal column, whose values are their names.

        It takes the position of the first of them, or becomes the target if one of them is the target.

        Raises a KeyError for a column that does not exist, a ValueError for a row in which not exactly one of them is true.
        """
        from ftree.data.bins_and_one_hot import joined_columns  # noqa: PLC0415  # as above

        one_hot = [self._column(name) for name in as_tuple(names)]
        target = into if self.schema.target in {feature.name for feature, _ in one_hot} else self.schema.target
        return self._of(joined_columns(self._all(), one_hot, into), target)

    def keep_columns(self, names: Iterable[str]) -> Self:
        """Keep only these features, in this order, and the target.

        Raises a KeyError for a feature that does not exist, a ValueError for a name that occurs twice.

        >>> from ftree import datasets
        >>> [feature.name for feature in datasets.weather().keep_columns(["windy", "outlook"]).schema.features]
        ['windy', 'outlook']
        """
        kept = [pair for pair in map(self._column, as_tuple(names)) if pair[0].name != self.schema.target]
        return self._of([*kept, self._column(self.schema.target)], self.schema.target)

    def with_weights(self, weights: Iterable[float] | None, *, weights_are: WeightsKind | None = None) -> Self:
        """Set the weights of the rows; None counts each row once. `weights_are` is as in `from_rows`.

        Raises a ValueError for a weight that is not a finite number from 0, and for another number of weights than rows.
        """
        return evolve(self, weights=weights_of_kind(weights, weights_are))

    def with_labels(self, labels: Iterable[Hashable], *, classes: Sequence[Hashable] | None = None) -> Self:
        """Replace the labels; `classes` are all classes in order, by default those that occur, sorted.

        Raises a ValueError for a missing label, for a label that is not in `classes`, and for another number of labels than rows.

        >>> from ftree import datasets
        >>> datasets.xor().with_labels(["a", "b", "a", "a"]).class_counts()
        (3, 1)
        """
        if not self.schema.has_classes and classes is None:
            numbers = measurements(self.schema.target, labels)
            response = response_of_sums(self.schema).of(numbers, *self.further_targets)
            return evolve(self, schema=evolve(self.schema, response=response), target_column=numbers)
        listed = python_values(as_column("labels", labels))
        order = classes_of(self.schema.target, listed, USUALLY_MISSING, classes)
        return evolve(
            self,
            schema=evolve(self.schema, classes=order, response=None),
            target_column=codes_of_labels(listed, order),
            further_targets=(),
        )

    def concatenate(self, *others: Self) -> Self:
        """These rows and those of other datasets of the same columns; values and classes are those of any of them.

        Weights are counts if none of them are importances.

        Raises a ValueError for a dataset with other names or kinds of features, or another target.

        >>> from ftree import datasets
        >>> datasets.xor().concatenate(datasets.xor()).class_counts()
        (4, 4)
        """
        parts = [self, *others]
        schema = schema_of_all([each.schema for each in parts])
        recoded = [each.recoded(schema) for each in parts]
        weighted = any(each.weights is not None for each in parts)
        weights = [np.ones(len(each), np.int64) if each.weights is None else each.weights for each in parts]
        labels = np.concatenate([each.target_column for each in recoded])
        further = [np.concatenate(columns) for columns in zip(*(each.further_targets for each in recoded), strict=True)]
        return evolve(
            self,
            schema=schema if schema.has_classes else evolve(schema, response=response_of_sums(schema).of(labels, *further)),
            further_targets=further,
            columns=[np.concatenate(columns) for columns in zip(*(each.columns for each in recoded), strict=True)],
            target_column=labels,
            weights=np.concatenate(weights) if weighted else None,
        )

    def merge_rare(self, *, least: float, into: Hashable = "other") -> Self:
        """Merge the values of each nominal feature that have fewer cases than `least` into one.

        Other rows repeat it with `test.recoded(tree.schema, others="other")`: rare and unseen values are "other" there, if the
        schema has it.

        Raises a ValueError for a `least` that is not a number from 0, and for None or NaN as `into`.

        >>> from ftree import Dataset
        >>> days = Dataset.from_rows([["a"], ["b"], ["a"], ["c"]], [0, 1, 0, 1]).merge_rare(least=2)
        >>> days["x0"].tolist(), Dataset.from_rows([["d"]], [0]).recoded(days.schema, others="other")["x0"].tolist()
        (['a', 'other', 'a', 'other'], ['other'])
        """
        if not (is_finite(least) and least >= 0):
            raise ValueError(f"least must be a number of cases from 0, got {short_repr(least)}.")
        require_value("into", into)
        pairs = zip(self.schema.features, self.columns, strict=True)
        merged = [rare_merged(*pair, least, into, self.weights) for pair in pairs]
        schema = evolve(self.schema, features=[feature for feature, _ in merged])
        return evolve(self, schema=schema, columns=[column for _, column in merged])

    def recoded(self, schema: Schema, *, others: Hashable = None) -> Self:
        """Recode the rows for another schema; features are matched by name, and unknown values become missing.

        In a feature that has the value `others`, they become that one instead, as `merge_rare` makes it.

        Raises a KeyError for a feature that the dataset lacks, a ValueError for a class that the schema lacks.
        """
        if not isinstance(schema, Schema):
            raise TypeError(f"schema must be a Schema, such as that of another dataset, got {type_of(schema)}.")
        if others is not None:
            require_value("others", others)
        if schema == self.schema:
            return self
        if self.schema.response.kind != schema.response.kind:
            raise ValueError(
                f"schema must be of {self.schema.response.kind}, as the dataset is, got one of {schema.response.kind}."
            )
        answers = self.target_column
        if schema.has_classes:
            answers = codes_of_labels(self.schema.classes, schema.classes)[self.target_column]
            for row in np.flatnonzero(answers < 0)[:1].tolist():
                raise ValueError(no_class(schema.classes, self.schema.classes[self.target_column[row]]))
        return evolve(self, schema=schema, columns=recoded_columns(self, schema.features, others=others), target_column=answers)

    def missing_as_value(self) -> Self:
        """Make None, for "missing", a value of each nominal feature that has missing values.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a"], [None]], [0, 1]).missing_as_value().schema.features[0].values
        ('a', None)
        """
        pairs = list(map(missing_as_none, self.schema.features, self.columns))
        schema = evolve(self.schema, features=[feature for feature, _ in pairs])
        return evolve(self, schema=schema, columns=[column for _, column in pairs])


def require_value(name: str, value: Any) -> None:
    """Raise a ValueError for an argument that can be no value of a nominal feature, or is missing."""
    if not is_hashable(value) or ALWAYS_MISSING(value):
        raise ValueError(f"{name} must be a value, such as 'other', got {short_repr(value)}.")


def rare_merged(feature: Feature, column: Column, least: float, into: Hashable, weights: Column | None) -> tuple[Feature, Column]:
    """A nominal feature whose values of fewer cases than `least` are one, the last, and its column; others unchanged.

    >>> rare_merged(Feature("sky", "nominal", ("blue", "red", "pink")), np.array([0, 0, 1, 2, -1]), 2, "other", None)
    (Feature(name='sky', kind='nominal', values=('blue', 'other')), array([ 0,  0,  1,  1, -1], dtype=int8))
    """
    if feature.kind != "nominal":
        return feature, column
    known = column >= 0
    cases = np.bincount(column[known], None if weights is None else weights[known], len(feature.values)).tolist()
    kept = [value for value, n in zip(feature.values, cases, strict=True) if n >= least or value is None]
    if len(kept) == len(feature.values):
        return feature, column
    merged = evolve(feature, values=dict.fromkeys([*kept, into]))
    return merged, recoded_column(feature, merged, column, others=into)


def recoded_columns(
    dataset: DatasetFields, features: Sequence[Feature], needed: Collection[int] | None = None, others: Hashable = None
) -> tuple[Column, ...]:
    """Columns of a dataset in the codes of other features of the same names; unknown values are `others`, where it is one.

    A feature that the dataset lacks is missing in all rows if it is none of the numbers `needed`, which by default are all.

    Raises a KeyError for another feature that the dataset lacks, a ValueError for a feature of another kind.
    """
    own = {feature.name: number for number, feature in enumerate(dataset.schema.features)}
    found = []
    for number, feature in enumerate(features):
        if feature.name in own:
            there = own[feature.name]
            found.append(recoded_column(dataset.schema.features[there], feature, dataset.columns[there], others))
        elif needed is None or number in needed:
            raise KeyError(unknown_name(feature.name, tuple(own)))
        else:
            found.append(np.full(len(dataset), np.nan) if feature.kind == "numeric" else np.full(len(dataset), -1))
    return tuple(found)


def recoded_column(old: Feature, new: Feature, column: Column, others: Hashable = None) -> Column:
    """A column in the codes of another feature of the same name; values that it lacks become `others`, if it has it, or missing.

    Raises a ValueError for a feature of another kind.
    """
    if (old.kind == "numeric") != (new.kind == "numeric"):
        remedy = f"Read it with kinds={{{short_repr(new.name)}: {new.kind!r}}}."
        raise ValueError(
            f"Feature {short_repr(new.name)} of the dataset must be {new.kind}, got a feature that is {old.kind}. {remedy}"
        )
    if not may_stand_for(old.time, new.time):
        wanted, got = TIMES_IN_WORDS[new.time], TIMES_IN_WORDS[old.time]
        raise ValueError(f"Feature {short_repr(new.name)} of the dataset must be {wanted}, got {got}.")
    if old.kind == "numeric" or old.values == new.values:
        return column
    codes = encode(new, [*old.values, None], ALWAYS_MISSING)
    if others is not None and others in new.values:
        lost = [code for code, value in enumerate(old.values) if value is not None and codes[code] < 0]
        codes[lost] = new.values.index(others)
    return codes[column]


def codes_of_labels(labels: Sequence[Hashable], classes: Sequence[Hashable]) -> RowNumbers:
    """The number of each label among classes, -1 for a label that is not among them.

    >>> codes_of_labels(("no", "maybe"), ("yes", "no")).tolist()
    [1, -1]
    """
    code_of = {label: code for code, label in enumerate(classes)}
    return np.array([code_of.get(label, -1) for label in labels], dtype=np.intp)


def no_class(classes: Sequence[Hashable], label: Hashable) -> str:
    """The error message for a label that is none of the classes."""
    return f"Labels must be classes of the schema ({joined(map(short_repr, classes))}), got {short_repr(label)}."


def require_common_class(classes: Sequence[Hashable], labels: Sequence[Hashable]) -> None:
    """Raise a ValueError for labels none of which is among the classes, such as texts where classes are numbers.

    >>> require_common_class(("no", "yes"), (0, 1))
    Traceback (most recent call last):
    ValueError: Labels must be classes of the schema ('no', 'yes'), got 0.
    """
    if labels and classes and not set(classes) & set(labels):
        raise ValueError(no_class(classes, labels[0]))


def with_response(dataset: _Rows, response: ResponseChoice) -> _Rows:
    """The rows with another response to their target.

    The further columns that a response reads are those of the rows, or features, which then are features no more.

    Raises a KeyError for a column that the dataset lacks, a ValueError for one that is not numeric, and for labels that are no
    numbers where the response is one of numbers.

    >>> from ftree import Dataset
    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30, 18]}, target="mpg")
    >>> cars.schema.classes, with_response(cars, "numbers").schema.response
    ((18, 30), numbers(centre=18.0, unit=4.0, part=1.0))
    """
    chosen, schema = response_chosen(response), dataset.schema
    options = options_of_chosen(chosen)
    target, names = options.target or schema.target, options.further_targets
    further = [further_target(chosen, name, dataset[name], USUALLY_MISSING) for name in names]
    classes, found, answers = coded_target(target, dataset[target], USUALLY_MISSING, None, chosen, further)
    gone = {target, *names} - set(options.row_features)
    kept = [n for n, feature in enumerate(schema.features) if feature.name not in gone]
    own = Schema([schema.features[n] for n in kept], target, classes, response=found)
    columns = [dataset.columns[n] for n in kept]
    return evolve(dataset, schema=own, columns=columns, target_column=answers, further_targets=further)


def as_grown(dataset: Any) -> Any:
    """The rows with the response by which their tree grows before it gets its answers; most are unchanged, as are sources."""
    structure = dataset.schema.response.options.structure
    if structure is None or not isinstance(dataset, DatasetChanges):
        return dataset
    from ftree.tree.additive import exact_sums  # noqa: PLC0415  # most trees do without it

    own, values, *further = structure(dataset.target_column, *dataset.further_targets)
    response = own.of(values) if isinstance(own, numbers) else exact_sums(own).of(values, *further)
    schema = evolve(dataset.schema, response=response)
    return evolve(dataset, schema=schema, target_column=values, further_targets=further)


def schema_of_all(schemas: Sequence[Schema]) -> Schema:
    """The schema of rows of several schemas: the first one, with the values and the classes of any of them.

    Raises a ValueError for other names or kinds of features, for another target, and for an ordinal feature of other values.

    >>> one, other = (Schema([Feature("sky", "nominal", values)], "ride", ("no",)) for values in (("blue",), ("grey", "blue")))
    >>> schema_of_all([one, other]).features[0].values
    ('blue', 'grey')
    """
    first = schemas[0]
    for other in schemas[1:]:
        pairs = zip_longest(_forms(first), _forms(other), fillvalue="no column")
        if differing := next((pair for pair in pairs if pair[0] != pair[1]), None):
            found = " and ".join(map(short_repr, differing))
            raise ValueError(f"Datasets must have the same columns of the same kinds, got {found}.")
    features = [
        evolve(feature, values=dict.fromkeys(chain.from_iterable(each.features[number].values for each in schemas)))
        for number, feature in enumerate(first.features)
    ]
    return evolve(first, features=features, classes=dict.fromkeys(chain.from_iterable(each.classes for each in schemas)))


def _forms(schema: Schema) -> tuple[Any, ...]:
    """What columns have in common that can stand one below the other."""
    of_features = [
        (each.name, each.kind, *filter(None, (each.time, each.kind == "ordinal" and each.values))) for each in schema.features
    ]
    return ((schema.target, schema.response.kind), *of_features)


def with_none(feature: Feature) -> Feature:
    """A nominal feature with None, for "missing", as its last value, unless it has None already; other features unchanged."""
    # If None is a value already, the cells without a code are undeclared values, which mean missing.
    known = feature.kind != "nominal" or None in feature.values
    return feature if known else evolve(feature, values=(*feature.values, None))


def missing_as_none(feature: Feature, column: Column) -> tuple[Feature, Column]:
    """A nominal feature and its column with None, for "missing", as a value; unchanged if nothing is missing."""
    if feature.kind != "nominal" or not (column < 0).any():
        return feature, column
    wider = with_none(feature)
    # A wider type first, since the new code may not fit the column's own integers.
    codes = np.where(column < 0, wider.values.index(None), column.astype(np.intp))
    return wider, smallest_integers(codes, len(wider.values))
