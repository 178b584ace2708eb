"""`as_value`: missing is one more value of nominal features."""

from attrs import frozen

from ftree._lib.fields import ConstructorRepr
from ftree.data.dataset import Dataset


@frozen(repr=False)
class as_value(ConstructorRepr):
    """A missing-value policy: missing is a value of its own of each nominal feature that has missing values in the training set.

    Numeric and ordinal features cannot have such a value: their missing values go down in fractions, as by `ignore`.

    >>> as_value()
    as_value()
    """

    def prepare(self, dataset: Dataset) -> Dataset:
        """The dataset with None as a value of the features that have missing values."""
        return dataset.missing_as_value()
